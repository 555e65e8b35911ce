"""Runs an attack of tests/hostile in a container without further protection, and reports its effects.

usage: control.py BODY MINE DONE [WORD VALUE]…   (as root; exits with 77 if no container can be created)

The container has separate processes, mounts, shared memory, host name, network and devices, and changes of its file
system are discarded. The attack runs like a test of Nubbin: in `nubbin-lab-…/work`, as a child of a process that imitates
the supervisor, with a terminal, an open file and a socket. Each line of the output describes one change.
"""
import ctypes
import errno
import fcntl
import hashlib
import os
import pty
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import termios
import time

NEW = {"mount": 0x20000, "uts": 0x4000000, "ipc": 0x8000000, "pid": 0x20000000, "net": 0x40000000}
PRIVATE_RECURSIVE = 0x44000
BIND_RECURSIVE = 0x5000
DEVICES = [("null", 1, 3), ("zero", 1, 5), ("full", 1, 7), ("random", 1, 8), ("urandom", 1, 9), ("tty", 5, 0),
           ("loop-control", 10, 237), ("kvm", 10, 232), ("tun", 10, 200)]
LIMIT = 30

libc = ctypes.CDLL(None, use_errno=True)


def call(name, *arguments):
    if getattr(libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def mount(source, target, kind, flags=0, options=None):
    coded = [part and part.encode() for part in (source, target, kind)]
    call("mount", *coded, ctypes.c_ulong(flags), options and options.encode())


def container():
    """Creates private mounts for this process."""
    mount("none", "/", None, PRIVATE_RECURSIVE)
    place = tempfile.mkdtemp()
    mount("tmpfs", place, "tmpfs")
    for name in ("changes", "work", "root"):
        os.mkdir(f"{place}/{name}")
    root = f"{place}/root"
    mount("overlay", root, "overlay", 0, f"lowerdir=/,upperdir={place}/changes,workdir={place}/work")
    mount("proc", f"{root}/proc", "proc")
    mount("/sys", f"{root}/sys", None, BIND_RECURSIVE)
    mount("tmpfs", f"{root}/dev", "tmpfs", 0, "mode=755")
    for name, major, minor in DEVICES:
        os.mknod(f"{root}/dev/{name}", 0o666 | stat.S_IFCHR, os.makedev(major, minor))
        os.chmod(f"{root}/dev/{name}", 0o666)
    for name in ("pts", "shm"):
        os.mkdir(f"{root}/dev/{name}")
    mount("devpts", f"{root}/dev/pts", "devpts", 0, "newinstance,ptmxmode=0666")
    os.symlink("pts/ptmx", f"{root}/dev/ptmx")
    mount("tmpfs", f"{root}/dev/shm", "tmpfs")
    # The files of the test are copied to their paths, on a file system that supports file handles.
    parent = root + os.path.dirname(sys.argv[2])
    os.makedirs(parent, exist_ok=True)
    mount("tmpfs", parent, "tmpfs")
    for given in (sys.argv[2], sys.argv[3]):
        os.makedirs(root + given)
        for entry in os.scandir(given):
            with open(root + entry.path, "wb") as file, open(entry.path, "rb") as known:
                file.write(known.read())
    os.chroot(root)
    os.chdir("/")


def look(folder):
    """Returns the state of all files below a directory: type, permissions, owner, device, time and contents."""
    found = {}
    for path, folders, files in os.walk(os.fsencode(folder)):
        for name in folders + files + [b"."]:
            one = os.path.join(path, name)
            try:
                state = os.lstat(one)
            except OSError:
                continue
            text = b""
            if stat.S_ISREG(state.st_mode):
                try:
                    with open(one, "rb") as file:
                        text = file.read(1 << 20)
                except OSError:
                    pass
            elif stat.S_ISLNK(state.st_mode):
                text = os.readlink(one)
            time_of = 0 if stat.S_ISDIR(state.st_mode) else state.st_mtime_ns
            found[one] = (state.st_mode, state.st_uid, state.st_rdev, time_of, hashlib.sha1(text).hexdigest())
    return found


def nodes():
    return {name: os.lstat("/dev/" + name)[:2] for name in os.listdir("/dev")}


def memory():
    return [sum(1 for _ in open(f"/proc/sysvipc/{kind}")) for kind in ("shm", "msg", "sem")]


def groups():
    """Returns the control groups that an attack created, and removes them, because they belong to the machine."""
    made = []
    for path, folders, _ in os.walk("/sys/fs/cgroup"):
        for name in folders:
            if name == "nubbin-was-here":
                made.append(os.path.join(path, name))
        if path.count("/") > 6:
            folders.clear()
    for path in made:
        try:
            os.rmdir(path)
        except OSError:
            pass
    return made


def supervisor(lab, body, environment):
    """Runs the attack as its supervisor would; this process imitates the supervisor."""
    with open("/proc/self/comm", "w") as name:
        name.write("oracle-warden")
    os.setsid()
    leader, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    held = os.open(environment["OUT"] + "/bug.txt", os.O_RDWR)
    os.set_inheritable(held, True)
    alive = os.open(environment["OUT"] + "/alive", os.O_RDONLY)
    fcntl.flock(alive, fcntl.LOCK_SH)
    os.dup2(alive, 8)
    os.set_inheritable(8, True)
    log = os.open("/log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    child = subprocess.Popen(["/case/oracle.sh", lab + "/work/bug.txt"], cwd=lab + "/work", env=environment,
                             stdin=terminal, stdout=log, stderr=log, close_fds=False)
    child.wait()
    os._exit(0)


def attack(body, environment):
    lab = "/labs/nubbin-lab-7-0123456789abcdef"
    for folder in (lab + "/work", lab + "/tmp", lab + "/prestart", "/case"):
        os.makedirs(folder)
    for path, text in ((lab + "/work/bug.txt", "one\nN\n"), (lab + "/stdout", ""), (lab + "/stderr", ""),
                       ("/case/bug.txt", "one\nN\n"), ("/case/bug.reduced.txt", "N"), ("/case/oracle.sh", "#!/bin/sh\n" + body)):
        with open(path, "w") as file:
            file.write(text)
    os.chmod("/case/oracle.sh", 0o755)
    environment = dict(os.environ, **environment, TMPDIR=lab + "/tmp", PWD=lab + "/work")
    folders = {"outside": environment["OUT"], "marks": environment["DONE"], "its directory": "/labs", "the case": "/case"}
    before = {name: look(folder) for name, folder in folders.items()}
    devices, ipc = nodes(), memory()
    name = os.uname().nodename
    leader = os.fork()
    if leader == 0:
        supervisor(lab, body, environment)
    limits = None
    deadline, ended = time.monotonic() + LIMIT, None
    while ended is None and time.monotonic() < deadline:
        try:
            limits = resource.prlimit(leader, resource.RLIMIT_FSIZE)
        except OSError:
            pass
        number, status = os.waitpid(leader, os.WNOHANG | os.WUNTRACED)
        if number == leader:
            ended = status
        time.sleep(0.002)
    said = []
    if ended is None:
        said.append("it does not end")
    elif os.WIFSIGNALED(ended):
        said.append("its supervisor was killed")
    elif os.WIFSTOPPED(ended):
        said.append("its supervisor was stopped")
    if limits and limits != resource.getrlimit(resource.RLIMIT_FSIZE):
        said.append("its supervisor has other limits")
    for what, folder in folders.items():
        changed = {os.fsdecode(path) for path in dict(look(folder).items() ^ before[what].items())}
        if changed:
            said.append(f"{what}: {', '.join(repr(one) for one in sorted(changed)[:3])}")
    if nodes() != devices:
        said.append("devices are others")
    if memory() != ipc:
        said.append("memory is left")
    if os.uname().nodename != name:
        said.append("the machine has another name")
    if groups():
        said.append("control groups are made")
    left = [one for one in os.listdir("/proc") if one.isdigit() and int(one) != 1 and int(one) != leader]
    if left:
        said.append(f"processes are left: {len(left)}")
    return said


def main():
    body = open(sys.argv[1]).read()
    environment = {"OUT": sys.argv[2], "DONE": sys.argv[3], **dict(zip(sys.argv[4::2], sys.argv[5::2]))}
    read, write = os.pipe()
    try:
        call("unshare", sum(NEW.values()))
    except OSError as error:
        print(error)
        sys.exit(77)
    first = os.fork()
    if first == 0:
        os.close(read)
        try:
            container()
        except OSError as error:
            os.write(write, f"77 {error}".encode())
            os._exit(0)
        os.write(write, "\n".join(attack(body, environment)).encode())
        # The end of this process ends all others.
        os._exit(0)
    os.close(write)
    text = b""
    while part := os.read(read, 1 << 16):
        text += part
    os.waitpid(first, 0)
    text = text.decode(errors="replace")
    if text.startswith("77 "):
        print(text)
        sys.exit(77)
    print(text)


main()
