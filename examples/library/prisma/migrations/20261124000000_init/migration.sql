CREATE TABLE "authors" (
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,

    CONSTRAINT "authors_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "books" (
    "id" BIGSERIAL NOT NULL,
    "title" TEXT NOT NULL,
    "isbn" TEXT NOT NULL,
    "published" DATE,
    "author_id" BIGINT NOT NULL,

    CONSTRAINT "books_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "loans" (
    "id" BIGSERIAL NOT NULL,
    "borrower" TEXT NOT NULL,
    "due" TIMESTAMPTZ(3) NOT NULL,
    "book_id" BIGINT NOT NULL,

    CONSTRAINT "loans_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "books_isbn_key" ON "books"("isbn");
CREATE INDEX "books_author_id_id_idx" ON "books"("author_id", "id");
CREATE INDEX "loans_book_id_id_idx" ON "loans"("book_id", "id");

ALTER TABLE "books" ADD CONSTRAINT "books_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "authors"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "loans" ADD CONSTRAINT "loans_book_id_fkey" FOREIGN KEY ("book_id") REFERENCES "books"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
