for i in 1 2 3 4 5 6 7 8; do (for j in 1 2 3 4 5 6 7 8; do (trap '' TERM HUP INT; sleep 1000) & done; exec sleep 1000) & done
