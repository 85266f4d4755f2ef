import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { randomNumbers } from '../../bench/load/random.ts';
import { baseCommit } from '../../bench/quick/base-commit.ts';
import { installedBy } from '../../bench/quick/lock-file.ts';
import { geometricMean, meanOfRows, pairsReport } from '../../bench/quick/pair-figures.ts';
import { compareByStages } from '../../bench/quick/stages.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

describe('on a noisy machine', () => {
  const FIGURES = ['hot', 'mixed', 'get', 'list', 'create'];

  /** Counts the failures in a hundred runs if each ratio is off by up to `noise`, and each pair of processes by 3 %. */
  async function failures(noise: number, effect: number): Promise<number> {
    const random = randomNumbers(1);
    const off = (by: number) => 1 + (random() * 2 - 1) * by;
    let failed = 0;
    for (let run = 0; run < 100; run += 1) {
      const { slower } = await compareByStages(FIGURES, async (figures, { rounds }) => {
        const processes = off(0.03);
        const ratios = () => Array.from({ length: rounds }, () => effect * processes * off(noise));
        return new Map(figures.map((figure) => [figure, ratios()]));
      });
      if (slower.length > 0) failed += 1;
    }
    return failed;
  }

  test.each([0.05, 0.2, 0.4])(
    'a comparison of a commit with itself never fails (ratios off by up to %d)',
    async (by) => {
      expect(await failures(by, 1)).toBe(0);
    },
  );

  test.each([
    [0.05, 99],
    [0.1, 97],
    [0.2, 80],
  ])(
    'a slowdown of 15 % is detected (ratios off by up to %d: in %d of a hundred runs)',
    async (noise, least) => {
      expect(await failures(noise, 1.15)).toBeGreaterThanOrEqual(least);
    },
  );
});

test('means are geometric, and rows from the same processes do not reduce the standard error', () => {
  expect(geometricMean([2, 0.5]).ratio).toBeCloseTo(1);
  expect(geometricMean([1.02, 1.04, 1.03]).ratio).toBeCloseTo(1.03, 4);
  expect(geometricMean([1.1]).error).toBeNaN();
  // ±ln 1.1 has a standard deviation of √2 ln 1.1, and the error of a mean of two is 1/√2 of that.
  const pairs = [1.1, 1 / 1.1];
  expect(geometricMean(pairs).error).toBeCloseTo(Math.log(1.1));
  expect(meanOfRows([pairs, pairs, pairs, pairs]).error).toBeCloseTo(Math.log(1.1));
});

test('the pairs report has a row for each kind of request and one for all, and names the worst ratios', () => {
  const rows = ([0.5, 2] as const).map((gateway, index) => ({
    cell: { surface: 'rest', workload: index === 0 ? 'get' : 'mixed' } as const,
    costs: [gateway, gateway].map((each) => ({ gateway: each, all: 1 / each })),
  }));
  expect(pairsReport(rows).replaceAll(/ +/g, ' ').split('\n').slice(2)).toEqual([
    '| REST get | 0.500 ± 0.000 | 2.000 ± 0.000 |',
    '| REST mixed | 2.000 ± 0.000 | 0.500 ± 0.000 |',
    '| **all** | 1.000 ± 0.000 | 1.000 ± 0.000 |',
    '',
    'Worst: REST mixed 2.000 ± 0.000; with PostgreSQL REST get 2.000 ± 0.000.',
    '',
  ]);
});

const installed = (packages: object) => installedBy(JSON.stringify({ name: 'gateway', packages }));

test('packages are reinstalled only if the dependencies in the lock file have changed', () => {
  const pg = { 'node_modules/pg': { version: '8.23.1' } };
  const workspace = {
    'packages/new': { name: '@store-gateway/new', version: '1.0.0' },
    'node_modules/@store-gateway/new': { resolved: 'packages/new', link: true },
  };
  expect(installed({ '': { version: '2' }, ...workspace, ...pg })).toBe(installed(pg));
  for (const other of [
    { 'node_modules/pg': { version: '8.23.2' } },
    { ...pg, 'node_modules/yaml': {} },
    { ...pg, 'packages/a/node_modules/pg': {} },
  ]) {
    expect(installed(other)).not.toBe(installed(pg));
  }
});

async function git(root: string, ...args: readonly string[]): Promise<string> {
  const user = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  const { stdout } = await promisify(execFile)('git', [...user, ...args], { cwd: root });
  return stdout.trim();
}

test('the base commit is --base, HEAD if code is uncommitted, or the first parent of the last code change', async () => {
  await using stack = new AsyncDisposableStack();
  const root = stack.use(await temporaryDirectory()).path;
  await git(root, 'init', '--quiet', '--initial-branch=main');
  const commit = async (file: string): Promise<string> => {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), `${Math.random()}\n`);
    await git(root, 'add', '.');
    await git(root, 'commit', '--quiet', '-m', file);
    return git(root, 'rev-parse', 'HEAD');
  };
  const first = await commit('src/a.ts');
  const second = await commit('packages/p/src/a.ts');
  const shallow = join(stack.use(await temporaryDirectory()).path, 'shallow');
  await git(root, 'clone', '--quiet', '--depth=1', `file://${root}`, shallow);
  expect(await baseCommit(undefined, shallow)).toEqual({
    none: expect.stringContaining('shallow clone') as unknown,
  });
  for (const file of ['docs/a.md', 'packages/p/README.md']) await commit(file);
  const head = await commit('packages/p/test/a.test.ts');
  await writeFile(join(root, 'docs/a.md'), 'changed');
  const why = `the first parent of ${second.slice(0, 9)}, the last to change code`;
  expect(await baseCommit(undefined, root)).toEqual({ commit: first, why });
  await writeFile(join(root, 'src/a.ts'), 'changed');
  expect(await baseCommit(undefined, root)).toMatchObject({ commit: head });
  expect(await baseCommit('HEAD~3', root)).toEqual({ commit: second, why: '--base' });
  await expect(baseCommit('HEAD~9', root)).rejects.toMatchObject({ exitCode: 2 });
});
