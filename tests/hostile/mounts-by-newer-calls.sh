# Without filters of system calls, some of these calls succeed.
python3 - <<'P'
import ctypes, os, platform
if platform.machine() != "x86_64": raise SystemExit
libc = ctypes.CDLL(None, use_errno=True)
attributes = (ctypes.c_uint64 * 4)(0, 1, 0, 0)
calls = {"open_tree": (428, -100, b"/", 1), "open_tree_attr": (467, -100, b"/", 1, ctypes.byref(attributes), 32),
         "fsopen": (430, b"tmpfs", 0), "fspick": (433, -100, b"/", 0)}
for name, (number, *arguments) in calls.items():
    if libc.syscall(number, *arguments) >= 0:
        open(os.environ["DONE"] + "/" + name, "w")
P
