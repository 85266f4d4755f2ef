import { expect, test } from 'vitest';
import type { HonestAnswer, Trial } from './trial.ts';
import { failuresOf, figuresOf } from './verdict.ts';

function answers(count: number, milliseconds = 10, part: Partial<HonestAnswer> = {}) {
  const answer = { milliseconds, ownMilliseconds: milliseconds, what: 'good', name: '', id: '' };
  return Array.from({ length: count }, (): HonestAnswer => ({ ...answer, ...part }));
}

const LOST = { what: '503' };
const KEPT: Trial = {
  attack: { connections: 64 },
  traffic: { connections: 64, bytes: 64 * 26 },
  known: [...answers(198), ...answers(1, 4000), ...answers(1, 10, LOST)],
  late: answers(100, 250),
  heapPeak: 299e6,
  seconds: 9.9,
  exit: '0',
};

const SILENT = { connections: 64, bytes: 0 };

test.each<[string, Partial<Trial>]>([
  ['within its bounds', {}],
  ['on a busy machine', { late: answers(100, 900, { ownMilliseconds: 250 }) }],
  ['with idle connections', { attack: { connections: 64, isIdle: true }, traffic: SILENT }],
])('a trial %s keeps the promise of SECURITY.md', (_what, part) => {
  expect(failuresOf({ ...KEPT, ...part })).toEqual([]);
});

test.each<[string, Partial<Trial>, string]>([
  ['two of 200 requests lost', { late: [...answers(198), ...answers(2, 10, LOST)] }, 'late client'],
  ['no requests', { known: [] }, 'known client: 0.0 %'],
  ['two of 100 requests late', { late: [...answers(98), ...answers(2, 251)] }, 'p99 251 ms'],
  ['too large a heap', { heapPeak: 300e6 }, 'a heap of 300 MB'],
  ['a heap that was not measured', { heapPeak: Number.NaN }, 'a heap'],
  ['an empty heap', { heapPeak: 0 }, 'a heap of 0 MB'],
  ['too few connections', { traffic: { connections: 63, bytes: 1e9 } }, 'no attack'],
  ['an attack that sends nothing', { traffic: SILENT }, 'no attack'],
  ['a slow shutdown', { seconds: 10.1 }, 'ended with 0 10.1 s'],
  ['an exit by a signal', { exit: 'SIGABRT' }, 'ended with SIGABRT'],
])('a trial with %s breaks the promise of SECURITY.md', (_what, part, failure) => {
  expect(failuresOf({ ...KEPT, ...part }).join('\n')).toContain(failure);
});

test('the figures for a client include failed requests', () => {
  const all = [...answers(99), ...answers(1, 5000, { what: 'ABORT_ERR' })];
  expect(figuresOf(all)).toEqual({ answered: 0.99, p50: 10, p99: 10, slowest: 5000 });
});
