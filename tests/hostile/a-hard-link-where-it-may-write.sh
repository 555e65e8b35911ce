ln "$OUT/bug.txt" "$DONE/../link" && echo x >"$DONE/../link"
ln "$OUT/bug.txt" "$DONE/link" && echo x >"$DONE/link"; mv "$DONE" "$OUT/moved"
