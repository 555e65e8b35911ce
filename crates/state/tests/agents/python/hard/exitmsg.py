import sys
print("a")
sys.exit("message")
