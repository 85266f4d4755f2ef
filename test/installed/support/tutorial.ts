import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Replaces the first occurrence of each text in a file of a project. @throws if one isn't there */
async function edit(file: string, changes: readonly (readonly [string, string])[]): Promise<void> {
  let text = await readFile(file, 'utf8');
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`${file} lacks ${from}`);
    text = text.replace(from, () => to);
  }
  await writeFile(file, text);
}

/** Gives books a date, as docs/tutorial.md gives animals one. */
export async function addField(folder: string): Promise<void> {
  const field = "published: t.field({ type: builder.dateType(), description: 'When.' })";
  await edit(join(folder, 'prisma/schema.prisma'), [
    ['name String\n', 'name String\n  published DateTime? @db.Date\n'],
  ]);
  await edit(join(folder, 'src/schema/book.ts'), [
    [
      "example: 'First book' }),",
      `example: 'First book' }),
    published: t.expose('published', { type: builder.dateType(), nullable: true, description: 'When.' }),`,
    ],
    ['required: true })', `required: true }), ${field}`],
    ['t.string(NAME)', `t.string(NAME), ${field}`],
  ]);
  await edit(join(folder, 'src/rest.ts'), [['id name }', 'id name published }']]);
}

const SHELF = `import { text } from '@store-gateway/graphql';
import { builder } from './builder.ts';
import { books } from './book.ts';

const Shelf = builder.prismaObject('Shelf', {
  description: 'A shelf of books.',
  resource: { plural: 'shelves', about: 'Where the books are.' },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Unique identifier, assigned by the service.' }),
    name: t.exposeString('name', { description: 'Its name.', example: 'Upper shelf' }),
    books: t.relation('books', { description: 'Its books.', args: books.args, query: books.query }),
  }),
});
builder.prismaObjectField('Book', 'shelf', (t) =>
  t.relation('shelf', { nullable: true, description: 'Where it is.' }),
);
builder.connectionField(
  builder.listField(Shelf, { find: (query, { database }) => database.shelf.findMany(query) }),
);
builder.createField(Shelf, {
  input: (t) => ({ name: t.string({ required: true, rule: text(1, 100), description: 'Its name.' }) }),
  create: (query, { database }) => database.shelf.create(query),
});
`;

const ROUTES = `routes: [
    {
      method: 'get',
      path: '/shelves',
      summary: 'List all shelves',
      document: \`query listShelves($limit: Int, $after: ID) {
        shelvesConnection(limit: $limit, after: $after) { nodes { id name } \${PAGE_INFO} }
      }\`,
      status: 200,
    },
    {
      method: 'post',
      path: '/shelves',
      summary: 'Add a shelf',
      document: 'mutation createShelf($input: NewShelf!) { createShelf(input: $input) { id name } }',
      status: 201,
    },`;

/** Adds shelves, with a relation to books both ways. */
export async function addResource(folder: string): Promise<void> {
  await edit(join(folder, 'prisma/schema.prisma'), [
    [
      '@db.Date\n',
      `@db.Date
  shelfId BigInt? @map("shelf_id")
  shelf Shelf? @relation(fields: [shelfId], references: [id])

  @@index([shelfId, id])
`,
    ],
    [
      'model Book',
      `model Shelf {
  id BigInt @id @default(autoincrement())
  name String
  books Book[]

  @@map("shelves")
}

model Book`,
    ],
  ]);
  await writeFile(join(folder, 'src/schema/shelf.ts'), SHELF);
  await edit(join(folder, 'src/schema/index.ts'), [
    ["import './book.ts';", "import './book.ts';\nimport './shelf.ts';"],
  ]);
  await edit(join(folder, 'src/schema/book.ts'), [
    ['{ text }', '{ int64, text }'],
    [
      'required: true })',
      "required: true }), shelfId: t.id({ rule: int64, description: 'Where it is.' })",
    ],
  ]);
  await edit(join(folder, 'src/rest.ts'), [['routes: [', ROUTES]]);
}
