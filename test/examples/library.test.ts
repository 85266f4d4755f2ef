import { fileURLToPath } from 'node:url';
import { expect, inject, test } from 'vitest';
import { createDatabase } from '../support/database.ts';
import { requestOf } from '../support/gateway.ts';
import { runEntry } from '../support/process.ts';
import { startPatientService } from '../support/service.ts';

/*
 * A second store, built on the gateway as a stranger would: it keeps the promises that the animals' keeps, without a line of
 * code of its own for them.
 */

const ROOT = fileURLToPath(new URL('../../examples/library', import.meta.url));
const env = { DATABASE_URL: await createDatabase(inject('postgresUrl')), METRICS_PORT: '0' };
const service = await startPatientService(env, (run) =>
  runEntry('src/main.ts', { ...run, root: ROOT }),
);
const line = await service.child.line('stderr', (text) => text.includes('API_KEY='));
const key = line.replace('  API_KEY=', '');
const request = requestOf(service.url, key);

function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  return request(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

const AUTHOR = { name: 'Astrid Lindgren' };
const author = await post('/v1/authors', AUTHOR);
const BOOK = { title: 'Mio', isbn: '9780670477579', published: '1954-11-01', authorId: 1 };
const book = await post('/v1/books', BOOK);
const LOAN = { borrower: 'Ada', due: '2026-12-24T18:00:00.001Z', bookId: 1 };
const loan = await post('/v1/loans', LOAN);

/** Of each resource: what was added, what it was added from, and another that may be. */
const RESOURCES = [
  ['authors', author, { id: 1, ...AUTHOR }, { name: 'Selma Lagerlöf' }],
  [
    'books',
    book,
    {
      id: 1,
      title: 'Mio',
      isbn: '9780670477579',
      published: '1954-11-01',
      author: { id: 1, name: 'Astrid Lindgren' },
    },
    { ...BOOK, isbn: '9780140304480' },
  ],
  [
    'loans',
    loan,
    { id: 1, borrower: 'Ada', due: '2026-12-24T18:00:00.001Z', book: { id: 1, title: 'Mio' } },
    LOAN,
  ],
] as const;

test.each(RESOURCES)('%s are added, got and listed', async (plural, added, row) => {
  expect(added).toMatchObject({ status: 201, json: row });
  expect(await request(`/v1/${plural}/1`)).toMatchObject({ status: 200, json: row });
  expect(await request(`/v1/${plural}?limit=1`)).toMatchObject({ status: 200, json: [row] });
  expect((await request(`/v1/${plural}/404`)).json).toMatchObject({ code: 'NOT_FOUND' });
});

test.each(RESOURCES)(
  'of %s that are added under one key there is one',
  async (plural, _, __, more) => {
    const headers = { 'Idempotency-Key': `"${plural}"` };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => post(`/v1/${plural}`, more, headers)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(201));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await request(`/v1/${plural}?limit=1`)).headers.get('Link')).toContain('rel="next"');
    expect((await request(`/v1/${plural}?after=1`)).json).toEqual([answers[0]?.json]);
  },
);

test('a taken ISBN is a conflict that names it, and an author that is not there a bad input', async () => {
  expect(await post('/v1/books', { ...BOOK, authorId: 1 })).toMatchObject({
    status: 409,
    json: { code: 'CONFLICT', message: 'isbn is taken already' },
  });
  const isbn = '0000000000';
  expect(await post('/v1/books', { ...BOOK, isbn, authorId: '9223372036854775807' })).toMatchObject(
    {
      status: 400,
      json: { code: 'BAD_USER_INPUT' },
    },
  );
});

test('GraphQL follows relations both ways, a page each', async () => {
  const query = `{ authors(limit: 1) { id books(limit: 1) { title loans(limit: 1) { due book { author { name } } } } } }`;
  expect((await post('/graphql', { query })).json).toEqual({
    data: {
      authors: [
        {
          id: '1',
          books: [
            {
              title: 'Mio',
              loans: [{ due: LOAN.due, book: { author: { name: 'Astrid Lindgren' } } }],
            },
          ],
        },
      ],
    },
  });
});

test('what is deprecated says so on REST, and what serves instead', async () => {
  const { headers } = await request('/v1/authors/1');
  expect(headers.get('Deprecation')).toMatch(/^@\d+$/);
  expect(headers.get('Link')).toContain('<../authors>; rel="successor-version"');
});

test('its keys begin with its own prefix, and are redacted', async () => {
  expect(key).toMatch(/^lib_[0-9A-Za-z]{49}$/);
  expect((await request(`/v1/books?note=${key}`)).status).toBe(200);
  await service.child.line('stdout', (text) => text.includes('/v1/books'));
  expect(service.child.stdout()).not.toContain(key);
  const animals = await request('/v1/books', {
    headers: { Authorization: `Bearer asg_${key.slice(4)}` },
  });
  expect(animals).toMatchObject({ status: 401, json: { code: 'UNAUTHENTICATED' } });
});

const [, metricsUrl = ''] = /"url":"([^"]+\/metrics)"/.exec(service.child.stdout()) ?? [];
const metrics = async () => (await fetch(metricsUrl)).text();

/** Sends identical reads at once, and resolves to how many have shared an answer so far. */
async function joined(): Promise<number> {
  await Promise.all(Array.from({ length: 20 }, () => request('/v1/loans')));
  const told = /^library_shared_calls_total\{place="answers",role="joined"\} (\d+)$/m;
  return Number(told.exec(await metrics())?.[1]);
}

test('identical reads share an answer', async () => {
  await expect.poll(joined).toBeGreaterThan(0);
});

test('its workers serve on one port, with the keys and rows of all', async () => {
  await using several = await startPatientService({ ...env, WORKERS: '2' }, (run) =>
    runEntry('src/main.ts', { ...run, root: ROOT }),
  );
  const { status, json } = await requestOf(several.url, key)('/v1/loans/1');
  expect([status, json]).toEqual([200, loan.json]);
  expect(several.child.stdout()).toContain('"workers":2,"msg":"listening"');
});

test('pages, contracts and metrics are its own', async () => {
  for (const path of ['/', '/docs', '/graphql']) {
    const page = await request(path, { headers: { Accept: 'text/html' } });
    expect(page.status).toBe(200);
    expect(page.text).toContain('Library');
    expect(page.text).toContain('data-prefix="lib_"');
    expect(page.text).toContain('data-item="library-gateway:api-key"');
    expect(page.text).toContain('data-check="v1/authors?limit=1"');
    expect(page.text).not.toMatch(/animal|asg_/i);
  }
  const openapi = await request('/v1/openapi.json');
  expect(openapi.json).toMatchObject({ info: { title: 'Library' } });
  expect(openapi.text).not.toMatch(/animal|asg_/i);
  expect((await request('/readyz')).text).toBe('ready\n');
  const told = await metrics();
  expect(told).toContain('library_ready 1');
  expect(told).not.toContain('animal');
});

test('its commands are those of every gateway', async () => {
  await using child = runEntry('src/main.ts keys', { args: ['list'], env, root: ROOT });
  expect(await child.exit).toEqual({ code: 0, signal: null });
  expect(child.stdout()).toMatch(/^ID +STATE/);
});
