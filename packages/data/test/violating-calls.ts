import type { Call } from './both-clients.ts';

const [SHELF, OTHER_SHELF, ITEM] = [1, 2, 3].map(
  (digit) => `00000000-0000-0000-0000-00000000000${digit}`,
);
const TAKEN = { name: 'taken', email: 'taken' };

/** Rows to violate constraints with. */
export const ROWS: readonly Call[] = [
  ['author', 'create', { data: { id: 1, ...TAKEN } }],
  ['author', 'create', { data: { id: 2, name: 'free', email: 'free' } }],
  ['book', 'create', { data: { id: 1, title: 'first', authorId: 1, editorId: 1 } }],
  ['shelf', 'create', { data: { id: SHELF } }],
  ['shelf', 'create', { data: { id: OTHER_SHELF } }],
  ['item', 'create', { data: { id: ITEM, shelfId: SHELF } }],
  [
    'defaulted',
    'create',
    { data: { id: 'first', createdAt: new Date(0), updatedAt: new Date(0) } },
  ],
];

/** What a store's owner has done to tables that Prisma's schema doesn't say. */
export const CONSTRAINTS = [
  `ALTER TABLE "Author" ADD CONSTRAINT no_rats CHECK (name <> 'rat')`,
  'ALTER TABLE "Author" ALTER name TYPE varchar(8)',
  'ALTER TABLE "Book" ALTER editor_id TYPE smallint',
  'ALTER TABLE "Book" ALTER editor_id SET NOT NULL',
  'ALTER TABLE "Book" ALTER title TYPE char(5)',
  'ALTER TABLE "Defaulted" ALTER price TYPE numeric(5, 2)',
  'ALTER TABLE "Defaulted" ALTER "number" TYPE smallint',
  `ALTER TYPE level_type RENAME VALUE 'high' TO 'higher'`,
];

/** What Citus' tables don't have. */
export const MORE_CONSTRAINTS = `
  CREATE UNIQUE INDEX alike ON "Author" (lower(email));
  ALTER TABLE "Author" ADD CONSTRAINT apart EXCLUDE ((length(email)) WITH =) WHERE (email LIKE 'x%');
  CREATE FUNCTION object() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'not on %', NEW.title USING ERRCODE = NEW.title, DETAIL = 'a detail', HINT = 'a hint';
  END $$;
  CREATE TRIGGER object BEFORE UPDATE ON "Book" FOR EACH ROW EXECUTE FUNCTION object();
  ALTER TABLE "Item" ADD CONSTRAINT again FOREIGN KEY (shelf_id) REFERENCES "Shelf" ON DELETE RESTRICT
    DEFERRABLE INITIALLY DEFERRED`;

const createAuthor = (data: object): Call => [
  'author',
  'create',
  { data: { id: 9, ...TAKEN, ...data } },
];
const updateAuthor = (data: object): Call => ['author', 'update', { where: { id: 2 }, data }];
const book = (data: object): Call => [
  'book',
  'create',
  { data: { id: 9, title: 'x', authorId: 1, editorId: 1, ...data } },
];
const defaulted = (data: object): Call => [
  'defaulted',
  'create',
  { data: { id: 'x', createdAt: new Date(0), updatedAt: new Date(0), ...data } },
];

/** Each violates something else. */
export const VIOLATIONS: readonly Call[] = [
  createAuthor({}),
  createAuthor({ id: 1, email: 'other' }),
  updateAuthor({ email: 'taken' }),
  createAuthor({ email: 'other', name: 'rat' }),
  updateAuthor({ name: 'rat' }),
  createAuthor({ email: 'other', name: 'x'.repeat(9) }),
  updateAuthor({ name: '😀'.repeat(9) }),
  book({ editorId: null }),
  book({ editorId: undefined }),
  book({ editorId: 70_000 }),
  book({ title: 'longer' }),
  book({ id: 1 }),
  ['book', 'update', { where: { id: 1 }, data: { editorId: null } }],
  ['book', 'update', { where: { id: 1 }, data: { editorId: -70_000 } }],
  defaulted({ price: '1000' }),
  defaulted({ price: '1e200000' }),
  defaulted({ number: 70_000 }),
  defaulted({ level: 'high' }),
  defaulted({ id: 'first' }),
  ['defaulted', 'update', { where: { id: 'first' }, data: { level: 'high' } }],
  ['defaulted', 'update', { where: { id: 'first', price: '1e200000' }, data: { level: 'low' } }],
  ['defaulted', 'delete', { where: { id: 'first', price: '1e200000' } }],
  ['item', 'create', { data: { id: OTHER_SHELF, shelfId: ITEM } }],
  ['item', 'create', { data: { id: ITEM, shelfId: SHELF } }],
  ['item', 'update', { where: { id: ITEM }, data: { shelfId: ITEM } }],
  ['shelf', 'delete', { where: { id: SHELF } }],
];

export const MORE_VIOLATIONS: readonly Call[] = [
  createAuthor({ email: 'TAKEN' }),
  updateAuthor({ email: 'Taken' }),
  ...['P0001', '23514', '22023', 'ZZ001', '23505', '23503', '40001'].map((title): Call => [
    'book',
    'update',
    { where: { id: 1 }, data: { title } },
  ]),
];

/** There is no such row. */
export const MISSES: readonly Call[] = [
  ['author', 'findUniqueOrThrow', { where: { id: 99 } }],
  ['author', 'update', { where: { id: 99 }, data: { name: 'x' } }],
  ['author', 'update', { where: { id: 2, name: 'other' }, data: { name: 'x' } }],
  ['author', 'update', { where: { id: 2, NOT: { id: 2 } }, data: { name: 'x' } }],
  ['author', 'delete', { where: { id: 99 } }],
  ['author', 'delete', { where: { id: 2, name: 'other' } }],
  ['shelf', 'delete', { where: { id: ITEM } }],
];
