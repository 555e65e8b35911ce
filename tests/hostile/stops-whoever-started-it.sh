for task in /proc/$PPID/task/*; do kill -STOP "${task##*/}"; done; kill -STOP $PPID
