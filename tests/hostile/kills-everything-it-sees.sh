trap '' TERM HUP INT
kill -TERM 0; kill -HUP -1; kill -STOP -1
python3 -c 'import os, signal
for number in range(1, 40000):
    if number != os.getpid() and number != os.getppid():
        try: os.kill(number, signal.SIGKILL)
        except OSError: pass'
