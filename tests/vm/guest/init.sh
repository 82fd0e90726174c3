#!/bin/busybox sh
# Stage 1, from the initramfs: load the disks' drivers, mount everything,
# change to the real root.
b=/bin/busybox
$b mkdir -p /proc /sys /dev /new
$b mount -t proc proc /proc
$b mount -t sysfs sys /sys
$b mount -t devtmpfs dev /dev
while read -r m; do
	$b insmod "/modules/$m" || echo "vm: cannot load $m"
done </modules/order

disk() { # prints the device whose virtio serial number is $1
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		for d in /sys/block/vd*; do
			s=
			# The serial has no newline at its end, so read "fails".
			[ -e "$d/serial" ] && { read -r s <"$d/serial" || true; }
			[ "$s" = "$1" ] && { echo "/dev/${d##*/}"; return; }
		done
		$b sleep 0.25
	done
	echo "vm: no disk $1" >/dev/console
}
root=$(disk root) modules=$(disk modules) scratch=$(disk scratch)

$b mount -t ext4 -o noatime "$root" /new || echo "vm: cannot mount the root"
cd /new
release=$($b uname -r)
$b mkdir -p host scratch "usr/lib/modules/$release"
$b mount -t ext4 -o ro,noload "$modules" "usr/lib/modules/$release"
$b ln -s "/usr/lib/modules/$release/config" "boot/config-$release"
$b mount -t ext4 -o noatime "$scratch" scratch
if [ -e /vm/host ]; then
	$b mount -t virtiofs host host || echo "vm: cannot mount /host"
fi
for d in dev proc sys; do
	$b mount --move /$d $d
done
$b mkdir -p dev/pts dev/shm
$b ln -s /proc/self/fd dev/fd
$b ln -s fd/0 dev/stdin
$b ln -s fd/1 dev/stdout
$b ln -s fd/2 dev/stderr
$b mount -t tmpfs tmpfs run
$b mount -t tmpfs tmpfs tmp
$b mount -t tmpfs tmpfs dev/shm
$b mount -t devpts devpts dev/pts
$b mount -t tracefs tracefs sys/kernel/tracing
$b mount -t debugfs debugfs sys/kernel/debug
$b mount -t securityfs securityfs sys/kernel/security
$b mount -t bpf bpf sys/fs/bpf
$b mount -t cgroup2 cgroup2 sys/fs/cgroup
$b mkdir run/vm run/lock
$b cp /vm/* /bin/busybox run/vm/
echo "export FST_SCRATCH_DEV=$scratch" >>run/vm/env
$b hostname vm
$b ifconfig lo 127.0.0.1 up
exec $b switch_root /new /bin/bash /run/vm/stage2
