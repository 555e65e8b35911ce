cd .. && for name in a b c stdout stderr trace; do rm -f $name; ln -s "$OUT/bug.txt" $name; done
ln -s "$OUT" d
