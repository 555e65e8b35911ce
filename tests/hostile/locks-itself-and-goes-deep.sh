python3 - <<'P'
import os
for _ in range(1000):
    os.mkdir("a-name-of-some-length")
    os.chdir("a-name-of-some-length")
P
mkdir -p locked/inside; chmod 000 locked; chmod 000 .
