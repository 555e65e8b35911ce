unshare -Urm sh -c "mount -o remount,rw / ; mount --bind /tmp /mnt; umount -l '$OUT'; echo x >'$OUT/bug.txt'" 2>/dev/null
mount -o remount,rw / 2>/dev/null; echo x >"$OUT/bug.txt"
