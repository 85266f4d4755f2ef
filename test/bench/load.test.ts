import { expect, test } from 'vitest';
import { BUDGET, groupsOfRound, isOfReport, reckon } from '../../bench/budget.ts';
import { competitors } from '../../bench/competitors.ts';
import { callsOf, SPARE } from '../../bench/load/calls.ts';
import { graphqlRequest, requestLines, restRequest } from '../../bench/load/requests.ts';
import { OPTIONS } from '../../bench/options.ts';
import { groupsOf, MANY_CONNECTIONS, rotated, secondsOf } from '../../bench/plan.ts';

const groups = groupsOf(competitors)
  .map((group) => group.filter(isOfReport))
  .filter(({ length }) => length > 0);

test('the default run leaves a minute of its time to repeat measurements', () => {
  const { total } = reckon(groups, Number(OPTIONS.rounds.default), Number(OPTIONS.seconds.default));
  expect(total / 60).toBeLessThan(BUDGET - 1);
});

test('tail latencies are measured for at least eight seconds after the connections are open', () => {
  const many = groups.flat().filter(({ connections }) => connections === MANY_CONNECTIONS);
  expect(many.length).toBeGreaterThan(0);
  expect(Math.min(...many.map((cell) => secondsOf(cell, 2)))).toBeGreaterThanOrEqual(8.25);
});

test('every other round measures only the comparison at 32 connections', () => {
  expect(groupsOfRound(groups, 2)).toEqual(groups);
  const some = groupsOfRound(groups, 1).flat();
  expect(new Set(some.map(({ connections }) => connections))).toEqual(new Set([32]));
  expect(some.filter(({ server }) => server.startsWith('growth-'))).toEqual([]);
});

test('each server is the first of its group in one round', () => {
  const [group = []] = groupsOf(
    ['ours', 'a', 'b'].map((name) => ({ name, surfaces: ['rest'] as const })),
  );
  const firsts = [0, 1, 2].map((round) => rotated(group, round)[0]?.server);
  expect(firsts).toEqual(['ours', 'a', 'b']);
});

test('the load is the same in each run, and differs by the size of the table', () => {
  expect(callsOf('mixed', 1000)).toEqual(callsOf('mixed', 1000));
  expect(callsOf('mixed', 1000)).not.toEqual(callsOf('mixed', 2000));
});

test('nine in ten calls of the mix are lists, the others gets and creates', () => {
  const calls = callsOf('mix', 1000);
  const share = (does: string) => calls.filter((call) => call.does === does).length / calls.length;
  expect([share('list'), share('get'), share('create')]).toEqual([
    expect.closeTo(0.9, 1),
    expect.closeTo(0.08, 2),
    expect.closeTo(0.02, 2),
  ]);
});

test('each removal is of another spare animal', () => {
  const ids = callsOf('remove', 1000).map((call) => (call.does === 'remove' ? call.id : 0));
  expect(new Set(ids).size).toBe(SPARE);
  const sorted = ids.toSorted((one, other) => one - other);
  expect([sorted[0], sorted.at(-1)]).toEqual([1001, 1000 + SPARE]);
});

test('each request is a line, on either surface', () => {
  const call = { does: 'list', status: 'sold', limit: 7, after: 3 } as const;
  const documents = { list: 'L', get: 'G', create: 'C' };
  expect(requestLines([restRequest(call), graphqlRequest(call, documents)])).toBe(
    `GET\t/v1/pets?status=sold&limit=7&after=3\t
POST\t/graphql\t{"query":"L","variables":{"status":"sold","limit":7,"after":"3"}}
`,
  );
});
