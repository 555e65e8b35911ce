rmdir "$DONE" && ln -s "$OUT" "$DONE"; mv "$DONE" "$DONE.moved" && ln -s "$OUT" "$DONE"
[ -L "$DONE" ] && echo x >"$DONE/bug.txt"
