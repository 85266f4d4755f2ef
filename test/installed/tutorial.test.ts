import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { THIS_NODE } from './support/nodes.ts';
import { callerOf, createdProject, pageAt } from './support/project.ts';

/** Replaces the first occurrence of each text in a project's file. @throws Error if a text is missing */
async function edit(file: string, changes: readonly (readonly [string, string])[]): Promise<void> {
  let text = await readFile(file, 'utf8');
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`${file} lacks ${from}`);
    text = text.replace(from, () => to);
  }
  await writeFile(file, text);
}

/** Gives books a date, as docs/tutorial.md gives animals one. */
async function addField(folder: string): Promise<void> {
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

/** Adds shelves, with a relation to books in both directions. */
async function addResource(folder: string): Promise<void> {
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

const CHANGES = [
  { change: addField, migration: 'add_published', scripts: ['generate'] },
  // A start regenerates the client automatically.
  { change: addResource, migration: 'add_shelves', scripts: [] },
];

test('a project with an added field and an added resource serves requests with workers until SIGTERM', async () => {
  const { folder, run, start } = await createdProject(THIS_NODE);
  await run('npm', 'install');
  expect(await run('npm', 'run', '--silent', 'db:migration', '--', 'none')).toMatch(
    /^Nothing to migrate/,
  );
  for (const { change, migration, scripts } of CHANGES) {
    await change(folder);
    for (const script of scripts) await run('npm', 'run', script);
    const told = await run('npm', 'run', '--silent', 'db:migration', '--', migration);
    expect(told).toMatch(/^Wrote prisma\/migrations\/\d+_add_\w+\/migration.sql\./);
  }
  for (const script of ['schema', 'openapi']) await run('npm', 'run', '--silent', script);
  expect(await readFile(join(folder, 'schema.graphql'), 'utf8')).toContain('shelf: Shelf');
  expect(await readFile(join(folder, 'openapi.json'), 'utf8')).toContain('"/shelves"');
  expect(await run('npm', 'run', '--silent', 'types')).toBe('');

  const keys = async (...args: readonly string[]) =>
    (await run('npm', 'run', '--silent', 'keys', '--', ...args)).trim();
  const key = await keys('create', 'me');
  const service = await start({ WORKERS: '2' });
  const added: unknown[] = [];
  {
    await using running = service;
    const call = callerOf(running.url, key);
    expect(await call('/v1/shelves', { name: 'Upper' })).toEqual([201, { id: 1, name: 'Upper' }]);
    const book = { name: 'Mio', published: '1954-01-01' };
    expect(await call('/v1/books', { ...book, shelfId: 1 })).toEqual([201, { id: 1, ...book }]);
    const query = '{ books { published shelf { name books(limit: 5) { name } } } }';
    const shelf = { name: 'Upper', books: [{ name: 'Mio' }] };
    expect(await call('/graphql', { query })).toEqual([
      200,
      { data: { books: [{ published: book.published, shelf }] } },
    ]);
    expect(await pageAt(`${running.url}/docs`)).toMatch(/^200 [^]*Add a shelf/);
    const playground = await pageAt(`${running.url}/graphql`);
    expect(playground).toMatch(/^200 [^]*GraphiQL/);
    const sources = [...playground.matchAll(/(?:src|href)="([^"]+\.(?:js|css)[^"]*)"/g)];
    expect(sources).not.toEqual([]);
    for (const [, source = ''] of sources) {
      expect((await fetch(new URL(source, `${running.url}/graphql`))).status).toBe(200);
    }
    expect(await keys('list')).toMatch(/\bme\b/);
    // Callers that add books until the service no longer accepts them.
    const callers = Array.from({ length: 8 }, async () => {
      for (;;) {
        const [status, answer] = await call('/v1/books', { name: 'Another' });
        if (status !== 201) return;
        added.push(answer);
      }
    });
    await expect.poll(() => added.length).toBeGreaterThan(20);
    running.child.kill('SIGTERM');
    await Promise.allSettled(callers);
    expect(await running.child.exit).toEqual({ code: 0, signal: null });
  }
  await using again = await start();
  const call = callerOf(again.url, key);
  const missing: unknown[] = [];
  for (const book of added) {
    const id = typeof book === 'object' && book !== null && 'id' in book ? String(book.id) : '';
    const [status] = await call(`/v1/books/${id}`);
    if (status !== 200) missing.push(book);
  }
  expect(missing).toEqual([]);
});
