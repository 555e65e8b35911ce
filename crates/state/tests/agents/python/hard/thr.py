import threading, time
def work(n):
    global total
    for i in range(n):
        total += 1
total = 0
ts = [threading.Thread(target=work, args=(100,)) for _ in range(3)]
for t in ts: t.start()
for t in ts: t.join()
print(total)
def late():
    time.sleep(0.05)
    print("late")
threading.Thread(target=late).start()
print("end")
