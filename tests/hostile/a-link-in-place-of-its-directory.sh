cd .. && mv work moved && ln -s "$OUT" work
