python3 -c '
import os
for number in range(3, 1024):
    try: found = os.readlink(f"/proc/self/fd/{number}")
    except OSError: continue
    if number != 8 and not found.startswith("/proc/"):
        open(os.environ["DONE"] + "/descriptor", "a").write(f"{number} {found}\n")'
