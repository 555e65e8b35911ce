rm -f bug.txt; mkfifo bug.txt left
cd .. && for name in *; do rm -rf "$name"; mkfifo "$name"; done; mkfifo stdout stderr trace work tmp
