import { expect, test } from 'vitest';
import { memoizeLast } from '../../src/coalescing/memoize-last.ts';

test('a value is computed once for callers that come one right after the other', () => {
  let computed = 0;
  const count = memoizeLast(() => (computed += 1));
  const [one, other] = [{}, {}];
  expect([count(one), count(one), count(other), count(one)]).toEqual([1, 1, 2, 3]);
});
