#!/bin/bash
# Stage 2, from the real root: run the command with its two output streams on
# virtio ports of their own, report its status on a third, switch off.
b=/run/vm/busybox
exec </dev/null >/dev/console 2>&1
for d in /sys/class/virtio-ports/*; do
	read -r name <"$d/name" && declare "port_$name=/dev/${d##*/}"
done
exec 9>"$port_control"
. /run/vm/env
echo 0 >/proc/sys/kernel/kptr_restrict
echo -1 >/proc/sys/kernel/perf_event_paranoid
$b mkfifo /run/vm/out /run/vm/err
mapfile -d '' -t argv </run/vm/argv
$b cat /run/vm/out >"$port_stdout" & cats=$!
$b cat /run/vm/err >"$port_stderr" & cats+=" $!"
echo start >&9
(exec 9>&-; cd "$VM_CWD" && exec setsid "${argv[@]}") </dev/null >/run/vm/out 2>/run/vm/err
rc=$?
# What the command left running may hold the pipes: wait only a little.
(exec 9>&-; $b sleep 2; $b kill $cats) & killer=$!
wait $cats
kill $killer
cd /
$b sync
$b umount /scratch
[ -e /run/vm/host ] && $b umount /host
echo "exit $rc" >&9
$b sleep 0.02
echo 1 >/proc/sys/kernel/sysrq
echo b >/proc/sysrq-trigger
$b reboot -f
