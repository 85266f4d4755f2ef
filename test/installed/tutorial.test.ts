import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { THIS_NODE } from './support/nodes.ts';
import { callerOf, createdProject, pageAt } from './support/project.ts';
import { addField, addResource } from './support/tutorial.ts';

const CHANGES = [
  { change: addField, migration: 'add_published', scripts: ['generate'] },
  // A start generates the client anew by itself.
  { change: addResource, migration: 'add_shelves', scripts: [] },
];

test('a project grows by a field and a resource, and serves with workers until SIGTERM', async () => {
  const { folder, run, start } = await createdProject(THIS_NODE);
  await run('npm', 'install');
  expect(await run('npm', 'run', '--silent', 'db:migration', '--', 'none')).toMatch(/^No change/);
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
    // Callers that add books until there is nobody who takes them.
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
