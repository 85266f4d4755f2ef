import { performance } from 'node:perf_hooks';
import { afterAll, expect, test } from 'vitest';
import { table } from '@store-gateway/ops/command-line';
import { installNode, type NodeWithNpm, THIS_NODE } from './support/nodes.ts';
import { callerOf, createdProject, pageAt } from './support/project.ts';

/** What the installation of packages and Prisma's generator take is not ours. */
const OF_OTHERS = new Set(['install', 'generate']);
const rows: string[][] = [];

/** Notes how long something took. */
function stopwatch() {
  const seconds = new Map<string, number>();
  return {
    seconds,
    time: async <T>(step: string, run: () => Promise<T>): Promise<T> => {
      const start = performance.now();
      const result = await run();
      seconds.set(step, (performance.now() - start) / 1000);
      return result;
    },
  };
}

afterAll(() => {
  process.stdout.write(
    `\nSeconds, of which 90 are the goal in all, and 10 ours:\n${table(rows)}\n`,
  );
});

test.each<readonly [string, () => Promise<NodeWithNpm>]>([
  ['Node 22 and npm 10', () => installNode(22, 10)],
  ['Node 24 and npm 11', () => installNode(24, 11)],
  ['Node 26 and npm 12', () => installNode(26, 12)],
  ['the Node and npm of the tests', () => Promise.resolve(THIS_NODE)],
])('from nothing to a store of one’s own with %s', async (name, install) => {
  const node = await install();
  const { seconds, time } = stopwatch();
  const project = await time('create', () => createdProject(node));
  await time('install', () => project.run('npm', 'install'));
  await time('generate', () => project.run('node_modules/.bin/gateway-preflight'));
  const service = await time('start', () => project.start());
  {
    await using running = service;
    const key = await time('key', async () =>
      (await project.run('npm', 'run', '--silent', 'keys', '--', 'create', 'me')).trim(),
    );
    const call = callerOf(running.url, key);
    const book = { id: 1, name: 'First book' };
    expect(await time('first 201', () => call('/v1/books', { name: book.name }))).toEqual([
      201,
      book,
    ]);
    expect(await time('first page', () => call('/v1/books'))).toEqual([200, [book]]);
    expect(await call('/graphql', { query: '{ books { name } }' })).toEqual([
      200,
      { data: { books: [{ name: book.name }] } },
    ]);
    expect(await pageAt(`${running.url}/docs`)).toMatch(/^200 [^]*My Store/);
    expect(await pageAt(`${running.url}/graphql`)).toMatch(/^200 [^]*My Store/);
  }
  expect(await service.child.exit).toEqual({ code: 0, signal: null });
  const total = [...seconds.values()].reduce((sum, each) => sum + each, 0);
  const others = [...seconds].filter(([step]) => OF_OTHERS.has(step));
  const ours = others.reduce((rest, [, each]) => rest - each, total);
  const all = [...seconds, ['all', total], ['ours', ours]] as const;
  if (rows.length === 0) rows.push(['', ...all.map(([step]) => step)]);
  rows.push([name, ...all.map(([, each]) => each.toFixed(1))]);

  // Without an output, as tsc has nothing to complain of: strictly, and of libraries, too.
  expect(await project.run('npm', 'run', '--silent', 'types')).toBe('');
  expect(await project.run('npm', 'test')).toMatch(/(?:#|ℹ) pass 3\n(?:#|ℹ) fail 0\n/);
});
