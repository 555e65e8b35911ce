env -i sh -c 'setsid sleep 1000 8<&8 & setsid sh -c "trap \"\" TERM HUP; sleep 1000; sleep 1000" &' 8<&8
python3 -c '
import os, time
for _ in range(2):
    if os.fork(): os._exit(0)
    os.setsid()
time.sleep(1000)' 8<&8
