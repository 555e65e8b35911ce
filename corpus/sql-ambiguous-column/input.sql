-- A library's records: members, books, loans and what is asked of them.
CREATE TABLE members (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  joined DATE DEFAULT '2020-01-01',
  branch TEXT CHECK (length(branch) > 0),
  fine REAL DEFAULT 0.0
);

CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL, born INTEGER);

CREATE TABLE books (
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  author INTEGER REFERENCES authors (id) ON DELETE CASCADE,
  year INTEGER,
  shelf TEXT,
  copies INTEGER DEFAULT 1,
  UNIQUE (title, author)
);

CREATE TABLE loans (
  id INTEGER PRIMARY KEY,
  book INTEGER REFERENCES books (id),
  member INTEGER REFERENCES members (id),
  taken DATE NOT NULL,
  due DATE NOT NULL,
  returned DATE
);

CREATE INDEX books_by_year ON books (year, shelf);
CREATE INDEX loans_by_member ON loans (member);

INSERT INTO members (id, name, joined, branch) VALUES
  (1, 'Ada', '2019-03-02', 'north'),
  (2, 'Ben', '2021-07-19', 'south'),
  (3, 'Cyd', '2022-11-30', 'north');
INSERT INTO authors VALUES (1, 'Lem', 1921), (2, 'Le Guin', 1929), (3, 'Borges', 1899);
INSERT INTO books (id, title, author, year, shelf, copies) VALUES
  (1, 'Solaris', 1, 1961, 'A1', 2),
  (2, 'The Cyberiad', 1, 1965, 'A1', 1),
  (3, 'The Dispossessed', 2, 1974, 'B3', 3),
  (4, 'Ficciones', 3, 1944, 'C2', 1);
INSERT INTO loans (book, member, taken, due, returned) VALUES
  (1, 1, '2023-01-04', '2023-02-01', '2023-01-29'),
  (1, 2, '2023-02-11', '2023-03-11', NULL),
  (3, 3, '2023-02-12', '2023-03-12', NULL),
  (4, 1, '2023-03-01', '2023-03-29', '2023-04-15');

CREATE VIEW open_loans AS
  SELECT loans.id AS loan, members.name AS reader, books.title AS title, julianday('2023-04-01') - julianday(due) AS late
  FROM loans JOIN members ON loans.member = members.id JOIN books ON books.id = loans.book
  WHERE returned IS NULL;

UPDATE loans SET returned = '2023-03-20' WHERE id = 2;

SELECT reader, title, round(late) FROM open_loans ORDER BY late DESC, reader;

SELECT a.name, count(*) AS works, min(b.year) AS earliest, max(b.year) AS latest
FROM authors AS a LEFT JOIN books AS b ON b.author = a.id
GROUP BY a.id HAVING works > 0 ORDER BY works DESC;

WITH RECURSIVE days (day, rest) AS (
  SELECT date('2023-03-01'), 5 UNION ALL SELECT date(day, '+1 day'), rest - 1 FROM days WHERE rest > 1
),
busy AS (SELECT day, count(loans.id) AS lent FROM days LEFT JOIN loans ON day BETWEEN taken AND due GROUP BY day)
SELECT day, lent, sum(lent) OVER (ORDER BY day ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS recent FROM busy;

WITH readers AS (
  SELECT members.id, members.name, members.branch, count(loans.id) AS taken
  FROM members LEFT JOIN loans ON loans.member = members.id
  GROUP BY members.id
),
writers AS (
  SELECT authors.id, authors.name, sum(books.copies) AS copies
  FROM authors JOIN books ON books.author = authors.id
  GROUP BY authors.id
)
SELECT branch, taken, CASE WHEN copies > 2 THEN 'many' WHEN copies > 1 THEN 'some' ELSE 'one' END AS stock
FROM readers, writers
WHERE readers.taken >= writers.copies AND name LIKE 'A%'
ORDER BY branch, stock LIMIT 10;

SELECT shelf, group_concat(title, '; ') FROM books WHERE year IN (SELECT year FROM books WHERE copies > 1) GROUP BY shelf;
DELETE FROM loans WHERE returned IS NOT NULL AND taken < '2023-02-01';
