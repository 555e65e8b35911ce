"""Runs a program as if the kernel lacked a feature: without.py FEATURE PROGRAM [ARGUMENT...].

A filter of system calls (seccomp) makes calls fail as they do without the feature. Exits with 77 if filters are unavailable.
"""

import ctypes
import errno
import os
import platform
import struct
import sys

# The number of each call on x86_64 and on aarch64; newer calls have the same number on both.
OLD = {"x86_64": {"clone": 56, "unshare": 272, "mount": 165, "seccomp": 317}}
OLD["aarch64"] = {"clone": 220, "unshare": 97, "mount": 40, "seccomp": 277}
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
NEW = {
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "pidfd_open": 434,
    "clone3": 435,
    "close_range": 436,
    "openat2": 437,
    "mount_setattr": 442,
    "landlock_create_ruleset": 444,
}
# CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET.
NAMESPACES = 0x00000080 | 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000

FEATURES = {
    "nothing": {},
    "landlock": {"landlock_create_ruleset": errno.ENOSYS},
    "namespaces": {"unshare": errno.EPERM, "clone": errno.EPERM, "clone3": errno.ENOSYS},
    "both": {"unshare": errno.EPERM, "clone": errno.EPERM, "clone3": errno.ENOSYS, "landlock_create_ruleset": errno.ENOSYS},
    "mounts": {name: errno.ENOSYS for name in ("open_tree", "move_mount", "fsopen", "mount_setattr")},
    "overlays": {"mount": errno.EPERM, "fsopen": errno.EPERM},
    "calls": {name: errno.ENOSYS for name in ("openat2", "close_range", "pidfd_open")},
    "filters": {"seccomp": errno.ENOSYS},
    "root": {},
}

LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, ERROR = 0x7FFF0000, 0x00050000


def program(machine, refused):
    """Returns the filter as BPF instructions over `struct seccomp_data`."""
    code = [(LOAD, 0, 0, 4), (EQUAL, 1, 0, AUDIT[machine]), (RETURN, 0, 0, ALLOW), (LOAD, 0, 0, 0)]
    numbers = NEW | OLD[machine]
    for name, answer in refused.items():
        if name in ("clone", "unshare"):
            code += [(EQUAL, 0, 4, numbers[name]), (LOAD, 0, 0, 16), (ANY_BIT, 0, 1, NAMESPACES)]
            code += [(RETURN, 0, 0, ERROR | answer), (LOAD, 0, 0, 0)]
        else:
            code += [(EQUAL, 0, 1, numbers[name]), (RETURN, 0, 0, ERROR | answer)]
    return code + [(RETURN, 0, 0, ALLOW)]


def main():
    feature, *command = sys.argv[1:]
    machine = platform.machine()
    if machine not in OLD:
        sys.exit(77)
    if feature == "root":
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
        os.environ["HOME"] = os.getcwd()
    libc = ctypes.CDLL(None, use_errno=True)
    code = program(machine, FEATURES[feature])
    memory = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *one) for one in code))
    filters = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(code), ctypes.addressof(memory)))
    # PR_SET_NO_NEW_PRIVS, then PR_SET_SECCOMP with SECCOMP_MODE_FILTER.
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, filters, 0, 0):
        sys.exit(77)
    os.execv(command[0], command)


main()
