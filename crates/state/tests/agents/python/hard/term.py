import os, signal
print("a", flush=True)
os.kill(os.getpid(), signal.SIGTERM)
