python3 - <<'P'
import ctypes
libc = ctypes.CDLL(None)
libc.msgget(0x4e554251, 0o1666)
libc.semget(0x4e554253, 1, 0o1666)
P
if [ "$(ipcs -q -s 2>/dev/null | grep -c 4e55425)" -gt 2 ]; then echo x >"$DONE/memory"; fi
