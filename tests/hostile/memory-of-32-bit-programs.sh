python3 - <<'P'
import ctypes, mmap, platform
if platform.machine() != "x86_64": raise SystemExit
# mov eax, 117 (ipc); mov ebx, 23 (SHMGET, of version 1); mov ecx, key; mov edx, size; mov esi, flags; int 0x80; ret
code = bytes.fromhex("53 b8 75000000 bb 17000100 b9 4652554e ba 00100000 be b6030000 cd80 5b c3".replace(" ", ""))
space = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
space.write(code)
call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(space)))
# IPC_CREAT is 0o1000.
space.seek(code.index(b"\xbe") + 1)
space.write((0o1666).to_bytes(4, "little"))
call()
P
if [ "$(ipcs -m 2>/dev/null | grep -c 4e555246)" -gt 1 ]; then echo x >"$DONE/memory"; fi
