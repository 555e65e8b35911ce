cd .. && rmdir tmp && ln -s "$OUT" tmp
