import os
print("a", flush=True)
print("lost")
os._exit(4)
