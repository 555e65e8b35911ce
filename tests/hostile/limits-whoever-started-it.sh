prlimit --pid $PPID --cpu=1:1 --fsize=0 2>/dev/null
