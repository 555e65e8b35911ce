#!/bin/sh
# sqlite 3.40: exit 0 iff it imports the table without an error, and three customers paid in three currencies each.
out=$(timeout 10 sqlite3 :memory: ".import --csv \"${1:?}\" t" "
SELECT count(*) FROM (SELECT customer FROM t GROUP BY customer HAVING count(DISTINCT currency) >= 3)" 2>&1)
[ "$out" -ge 3 ] 2>/dev/null
