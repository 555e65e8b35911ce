here=$(dirname "$0")
echo 'exit 0' >>"$0"; rm -f "$0"; mv "$here/bug.txt" .; echo x >"$here/bug.txt"; echo forged >"$here/bug.reduced.txt"
rm -f "$here"/*.jsonl "$here"/.*; for file in "$here"/* "$here"/.[!.]*; do echo x >>"$file"; done
