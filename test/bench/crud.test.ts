import { expect, test } from 'vitest';
import { changeCosts, peersTable } from '../../bench/crud/tables.ts';
import { callsOf, SPARE } from '../../bench/load/calls.ts';
import type { Surface } from '../../bench/load/requests.ts';
import { benchSample as sample } from '../support/bench-sample.ts';

const create = { surface: 'rest', work: 'create' } as const;
const change = { surface: 'rest', work: 'change' } as const;

test('a removal is of a spare animal, and of another one each time', () => {
  const ids = callsOf('remove', 1000).map((call) => (call.does === 'remove' ? call.id : 0));
  expect(new Set(ids).size).toBe(SPARE);
  const sorted = ids.toSorted((one, other) => one - other);
  expect([sorted[0], sorted.at(-1)]).toEqual([1001, 1000 + SPARE]);
});

test('a change costs what it costs in the rounds that have a create, by the create of its round', () => {
  const samples = [
    sample('ours', 0, { ...create, serverCpu: 10, databaseCpu: 10 }),
    sample('ours', 0, { ...change, serverCpu: 13, databaseCpu: 5 }),
    // The machine was ten times slower.
    sample('ours', 1, { ...create, serverCpu: 100, databaseCpu: 100 }),
    sample('ours', 1, { ...change, serverCpu: 130, databaseCpu: 50 }),
    sample('ours', 2, { ...change, serverCpu: 900 }),
    ...(['create', 'change'] as const).map((work) =>
      sample('ours', 0, { surface: 'graphql', work, serverCpu: work === 'change' ? 14 : 10 }),
    ),
  ];
  expect(changeCosts(samples)).toBe(
    "CPU time of a change ÷ that of a create: REST 1.30 ≤ 1.3, with PostgreSQL's 0.90 ≤ 1.3; GraphQL 1.40 > 1.3, with PostgreSQL's 1.36 > 1.3.\n",
  );
});

test('each peer has a row, with the errors of both, and removals that were answered but not made', () => {
  const surface: Surface = 'rest';
  const cells = ['ours', 'a', 'b'].map((server) => ({
    server,
    surface,
    work: 'remove' as const,
    connections: 32,
  }));
  const samples = [
    sample('ours', 0, { work: 'remove', requestsPerSecond: 3000, serverCpu: 50, lost: 2 }),
    sample('a', 0, { work: 'remove', requestsPerSecond: 1000, serverCpu: 100, errors: 1 }),
    sample('b', 0, { work: 'remove', requestsPerSecond: 6000, serverCpu: 25 }),
  ];
  const [, , a, b] = peersTable([cells], samples).replaceAll(/ +/g, ' ').split('\n');
  expect(a).toBe('| rest | remove | 3,000 | 3.00 × | 50 | 0.50 × | 1 | 1.00 × | a | 3 |');
  expect(b).toBe('| rest | remove | 3,000 | 0.50 × | 50 | 2.00 × | 1 | 1.00 × | b | 2 |');
});
