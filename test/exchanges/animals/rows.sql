INSERT INTO pets (id, name, category_id, status)
SELECT id, 'Pet ' || id, 7, (ARRAY['available', 'pending', 'sold']::pet_status[])[1 + id % 3]
FROM generate_series(1, 30) AS id;
