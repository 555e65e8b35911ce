mknod disk b 254 0 && echo x >"$OUT/made"; mknod memory c 1 1 && echo x >"$OUT/made"
