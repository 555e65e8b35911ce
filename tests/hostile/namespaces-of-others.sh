for process in 1 $PPID; do
    for kind in mnt pid ipc net user cgroup; do nsenter -t $process --$kind sh -c "echo x >'$OUT/bug.txt'"; done
    nsenter -t $process -a sh -c "echo x >'$OUT/bug.txt'; echo x >'$DONE/entered'; kill -9 -1"
done
unshare -Urp --fork --mount-proc sh -c "echo x >'$OUT/bug.txt'; nsenter -t 1 -m sh -c \"echo x >'$OUT/bug.txt'\""
