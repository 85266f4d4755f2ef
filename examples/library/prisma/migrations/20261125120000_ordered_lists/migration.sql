-- For the search of titles
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX "books_title_id_idx" ON "books"("title", "id");
CREATE INDEX "books_author_id_title_id_idx" ON "books"("author_id", "title", "id");
CREATE INDEX "books_title_idx" ON "books" USING GIN ("title" gin_trgm_ops);
CREATE INDEX "loans_due_id_idx" ON "loans"("due", "id");
CREATE INDEX "loans_due_borrower_id_idx" ON "loans"("due" DESC, "borrower", "id");
CREATE INDEX "loans_book_id_due_id_idx" ON "loans"("book_id", "due", "id");
CREATE INDEX "loans_book_id_due_borrower_id_idx" ON "loans"("book_id", "due" DESC, "borrower", "id");
