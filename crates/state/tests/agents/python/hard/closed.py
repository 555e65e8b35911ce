import sys
sys.stdout.write("no newline")
sys.stdout.close()
