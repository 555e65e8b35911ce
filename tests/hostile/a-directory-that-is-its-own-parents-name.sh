cd ../.. && for lab in nubbin-lab-*; do mv "$lab" "$lab.moved" && ln -s "$OUT" "$lab"; done
