for process in /proc/1 /proc/self /proc/$PPID /proc/[0-9]*; do
    echo x >"$process/root$OUT/bug.txt"; (cd "$process/cwd/$OUT" && echo x >bug.txt); (cd "$process/cwd" && echo x >"$DONE/../bug.txt")
    for held in "$process"/fd/*; do case $held in */fd/[012]) ;; *) echo x >"$held" ;; esac; done
done
