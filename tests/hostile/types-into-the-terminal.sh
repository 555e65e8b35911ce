python3 - <<'P'
import fcntl, glob, os
def type_into(number):
    fcntl.ioctl(number, 0x5412, b"x")
    open(os.environ["DONE"] + "/typed", "w")
for number in range(3):
    try: type_into(number)
    except OSError: pass
for path in ["/dev/tty", "/dev/console", "/dev/tty0", "/dev/tty1", *glob.glob("/dev/pts/*"), *glob.glob("/proc/*/fd/*")]:
    try: type_into(os.open(path, os.O_RDWR | os.O_NONBLOCK))
    except OSError: pass
P
