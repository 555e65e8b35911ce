import os, sys
def child():
    x = 0
    for i in range(5):
        x += i
    print("child", x)
    sys.stdout.flush()
pid = os.fork()
if pid == 0:
    child()
else:
    os.waitpid(pid, 0)
    print("parent")
print("both")
