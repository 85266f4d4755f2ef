import { expect, test } from 'vitest';
import { BUDGET, groupsOfRound, isOfReport, reckon } from '../../bench/budget.ts';
import { competitors } from '../../bench/competitors.ts';
import { OPTIONS } from '../../bench/options.ts';
import { MANY_CONNECTIONS, groupsOf, secondsOf } from '../../bench/plan.ts';

const groups = groupsOf(competitors)
  .map((group) => group.filter(isOfReport))
  .filter(({ length }) => length > 0);

test('the default run fits in its time, with some left to measure again', () => {
  const { total } = reckon(groups, Number(OPTIONS.rounds.default), Number(OPTIONS.seconds.default));
  expect(total / 60).toBeLessThan(BUDGET - 1);
});

test('tails are measured for at least eight seconds, besides those in which connections are made', () => {
  const many = groups.flat().filter(({ connections }) => connections === MANY_CONNECTIONS);
  expect(many.length).toBeGreaterThan(0);
  expect(Math.min(...many.map((cell) => secondsOf(cell, 2)))).toBeGreaterThanOrEqual(8.25);
});

test('every other round has the comparison at 32 connections alone', () => {
  expect(groupsOfRound(groups, 2)).toEqual(groups);
  const some = groupsOfRound(groups, 1).flat();
  expect(new Set(some.map(({ connections }) => connections))).toEqual(new Set([32]));
  expect(some.filter(({ server }) => server.startsWith('growth-'))).toEqual([]);
});
