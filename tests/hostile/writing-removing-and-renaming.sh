echo x >"$OUT/bug.txt"; echo x >>"$OUT/bug.txt"; touch "$OUT/new"; rm -f "$OUT/bug.txt"; mv "$OUT/bug.txt" .; mkdir "$OUT/dir"
truncate -s 0 "$OUT/bug.txt"; ln "$OUT/bug.txt" linked && echo x >linked
