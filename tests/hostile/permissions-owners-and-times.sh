# Without namespaces, permissions and times are not protected.
chmod 000 "$OUT/bug.txt"; touch -d 2001-01-01 "$OUT/bug.txt"; chown 12345 "$OUT/bug.txt"; chmod 000 "$OUT"
