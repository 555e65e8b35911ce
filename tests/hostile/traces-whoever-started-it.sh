python3 - $PPID <<'P'
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
mine = ctypes.create_string_buffer(8)
one, other = Part(ctypes.addressof(mine), 8), Part(1 << 40, 8)
if libc.process_vm_writev(int(sys.argv[1]), ctypes.byref(one), 1, ctypes.byref(other), 1, 0) >= 0 or ctypes.get_errno() == 14:
    open(os.environ["DONE"] + "/written", "w")
for task in os.listdir(f"/proc/{sys.argv[1]}/task"):
    if libc.ptrace(16, int(task), 0, 0) == 0:
        open(os.environ["DONE"] + "/traced", "w")
        os.kill(int(task), 9)
P
