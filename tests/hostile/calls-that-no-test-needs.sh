# Without filters of system calls, some of these calls succeed.
python3 - <<'P'
import ctypes, os, platform
if platform.machine() != "x86_64": raise SystemExit
libc = ctypes.CDLL(None, use_errno=True)
note = ctypes.create_string_buffer(256)
calls = {"add_key": (248, b"user", b"nubbin", b"x", 1, -3), "keyctl": (250, 0, -3, 1), "io_uring_setup": (425, 4, note),
         "bpf": (321, 0, note, 64), "perf_event_open": (298, note, 0, -1, -1, 0), "userfaultfd": (323, 0),
         "sethostname": (170, b"nubbin-was-here", 15), "settimeofday": (164, None, None), "syslog": (103, 3, note, 16),
         "swapon": (167, b"/nowhere", 0), "init_module": (175, note, 0, b"")}
for name, (number, *arguments) in calls.items():
    if libc.syscall(number, *arguments) >= 0:
        open(os.environ["DONE"] + "/" + name, "w")
P
