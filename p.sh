cd /tmp; dd if=/dev/urandom of=/scratch/pages bs=1M count=16 2>/dev/null; sync; echo 3 >/proc/sys/vm/drop_caches
