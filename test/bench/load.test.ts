import { expect, test } from 'vitest';
import { BUDGET, groupsOfRound, isOfReport, reckon } from '../../bench/budget.ts';
import { competitors } from '../../bench/competitors.ts';
import { callsOf } from '../../bench/load/calls.ts';
import { OPTIONS } from '../../bench/options.ts';
import { groupsOf, MANY_CONNECTIONS, rotated, secondsOf } from '../../bench/plan.ts';

const groups = groupsOf(competitors)
  .map((group) => group.filter(isOfReport))
  .filter(({ length }) => length > 0);

test('the default benchmark run has a minute left to repeat measurements', () => {
  const { total } = reckon(groups, Number(OPTIONS.rounds.default), Number(OPTIONS.seconds.default));
  expect(total / 60).toBeLessThan(BUDGET - 1);
});

test('tail latencies are measured for at least eight seconds once all connections are open', () => {
  const many = groups.flat().filter(({ connections }) => connections === MANY_CONNECTIONS);
  expect(many.length).toBeGreaterThan(0);
  expect(Math.min(...many.map((cell) => secondsOf(cell, 2)))).toBeGreaterThanOrEqual(8.25);
});

test('every other round of the benchmark only compares the servers at 32 connections', () => {
  expect(groupsOfRound(groups, 2)).toEqual(groups);
  const some = groupsOfRound(groups, 1).flat();
  expect(new Set(some.map(({ connections }) => connections))).toEqual(new Set([32]));
  expect(some.filter(({ server }) => server.startsWith('growth-'))).toEqual([]);
});

test('each server of a group is measured first in one of the rounds', () => {
  const [group = []] = groupsOf(
    ['ours', 'a', 'b'].map((name) => ({ name, surfaces: ['rest'] as const })),
  );
  const firsts = [0, 1, 2].map((round) => rotated(group, round)[0]?.server);
  expect(firsts).toEqual(['ours', 'a', 'b']);
});

test('the load is the same in each run and depends on the table size', () => {
  expect(callsOf('mixed', 1000)).toEqual(callsOf('mixed', 1000));
  expect(callsOf('mixed', 1000)).not.toEqual(callsOf('mixed', 2000));
});

test('nine in ten calls of the benchmark’s mix are lists; the others are gets and creates', () => {
  const calls = callsOf('mix', 1000);
  const share = (does: string) => calls.filter((call) => call.does === does).length / calls.length;
  expect([share('list'), share('get'), share('create')]).toEqual([
    expect.closeTo(0.9, 1),
    expect.closeTo(0.08, 2),
    expect.closeTo(0.02, 2),
  ]);
});
