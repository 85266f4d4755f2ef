import { describe, expect, test } from 'vitest';
import { installedBy } from '../../bench/quick/lock-file.ts';
import { randomNumbers } from '../../bench/load/random.ts';
import { compareByStages, isSuspect, STAGES } from '../../bench/quick/stages.ts';

const [first, second, last] = STAGES;
if (first === undefined || second === undefined || last === undefined) throw new Error('stages');

function lockFile(packages: object): string {
  return JSON.stringify({ name: 'gateway', packages });
}

describe('a work is measured again', () => {
  test('after a short look in which it seems slower', () => {
    expect(isSuspect([1.08, 0.9, 1.2, 1.1, 1], first)).toBe(true);
    expect(isSuspect([1.06, 0.9, 1.2, 1.06, 1], first)).toBe(false);
  });

  test('and fails only if it is over 10 % slower in the median, and slower nearly always', () => {
    const slower = Array.from({ length: 25 }, (_, index) => 1.15 + ((index % 5) - 2) / 50);
    expect(isSuspect(slower, last)).toBe(true);
    expect(
      isSuspect(
        slower.map((ratio) => ratio - 0.06),
        last,
      ),
    ).toBe(false);
    // Noise that is half as often faster has no median to trust.
    expect(isSuspect([...slower.slice(0, 14), ...slower.slice(14).map(() => 0.8)], last)).toBe(
      false,
    );
  });
});

describe('on a noisy machine', () => {
  const WORKS = ['hot', 'mixed', 'get', 'list', 'create'];

  /** How many of a hundred runs fail if each ratio is off by up to `noise`, and a pair of processes by 3 %. */
  async function failures(noise: number, effect: number): Promise<number> {
    const random = randomNumbers(1);
    const off = (by: number) => 1 + (random() * 2 - 1) * by;
    let failed = 0;
    for (let run = 0; run < 100; run += 1) {
      const { slower } = await compareByStages(WORKS, async (works, { rounds }) => {
        const processes = off(0.03);
        const ratios = () => Array.from({ length: rounds }, () => effect * processes * off(noise));
        return new Map(works.map((work) => [work, ratios()]));
      });
      if (slower.length > 0) failed += 1;
    }
    return failed;
  }

  test.each([0.05, 0.2, 0.4])(
    'the same commit never fails: ratios off by up to %d',
    async (noise) => {
      expect(await failures(noise, 1)).toBe(0);
    },
  );

  test.each([
    [0.05, 99],
    [0.1, 97],
    [0.2, 80],
  ])(
    'a slow-down of 15 percent is found: ratios off by up to %d, %d runs in a hundred',
    async (noise, least) => {
      expect(await failures(noise, 1.15)).toBeGreaterThanOrEqual(least);
    },
  );
});

describe('dependencies', () => {
  const pg = { version: '8.23.1' };

  test('are the same, whatever workspaces there are', () => {
    const workspace = {
      'packages/new': { name: '@store-gateway/new', version: '1.0.0' },
      'node_modules/@store-gateway/new': { resolved: 'packages/new', link: true },
    };
    expect(installedBy(lockFile({ '': {}, ...workspace, 'node_modules/pg': pg }))).toBe(
      installedBy(lockFile({ '': { version: '2' }, 'node_modules/pg': pg })),
    );
  });

  test.each([
    ['another version', { 'node_modules/pg': { version: '8.23.2' } }],
    ['one more', { 'node_modules/pg': pg, 'node_modules/yaml': pg }],
    ["one of a workspace's own", { 'node_modules/pg': pg, 'packages/a/node_modules/pg': pg }],
  ])('differ by %s', (_which, packages) => {
    expect(installedBy(lockFile(packages))).not.toBe(
      installedBy(lockFile({ 'node_modules/pg': pg })),
    );
  });
});
