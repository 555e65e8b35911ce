python3 - <<'P'
import os
for name in [b"\xff\xfe", b"new\nline", b"\x1b[31m", b"-rf", b"*", b"a" * 255, "\u202e".encode(), b" "]:
    os.makedirs(os.path.join(name, name))
    open(os.path.join(name, name, name), "w").write("x")
P
