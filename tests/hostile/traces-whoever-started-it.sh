python3 - $PPID <<'P'
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
for task in os.listdir(f"/proc/{sys.argv[1]}/task"):
    if libc.ptrace(16, int(task), 0, 0) == 0:
        open(os.environ["OUT"] + "/traced", "w")
        os.kill(int(task), 9)
P
