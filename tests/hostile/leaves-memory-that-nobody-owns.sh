python3 - <<'P'
import ctypes
libc = ctypes.CDLL(None)
number = libc.shmget(0x4e554242, 1 << 20, 0o1666)
P
if [ "$(ipcs -m 2>/dev/null | grep -c 4e554242)" -gt 1 ]; then echo x >"$DONE/memory"; fi
