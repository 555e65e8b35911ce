python3 - <<'P'
import fcntl, glob, os
# KVM_CREATE_VM, LOOP_CTL_GET_FREE, TUNGETFEATURES, BLKGETSIZE64
for request in (0xAE01, 0x4C82, 0x800454CF, 0x80081272):
    for path in glob.glob("/dev/*") + glob.glob("/dev/net/*"):
        try:
            device = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            fcntl.ioctl(device, request, bytes(8) if request >> 30 else 0)
        except OSError: continue
        open(os.environ["DONE"] + "/" + os.path.basename(path), "w")
P
