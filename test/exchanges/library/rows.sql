INSERT INTO authors (id, name) SELECT id, 'Author ' || id FROM generate_series(1, 3) AS id;
INSERT INTO books (id, title, isbn, published, author_id)
SELECT id, 'Title ' || id % 5, 'isbn-' || 10000 + id, DATE '2000-01-01' + id, 1 + id % 2
FROM generate_series(1, 25) AS id;
INSERT INTO loans (id, borrower, due, book_id)
SELECT id, 'Reader ' || id, TIMESTAMPTZ '2030-01-01 00:00Z' + id * INTERVAL '1 day', 1 + id % 3
FROM generate_series(1, 6) AS id;
