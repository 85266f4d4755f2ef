import { expect, test } from 'vitest';
import { shows } from '../src/replicas/read-at.ts';

const index = { identity: '', timeline: 1, position: '0/0', snapshot: '90:100:90,95' };

test.each([
  [[], true],
  [['89', '91', '99'], true],
  [['91', '95'], false],
  [['100'], false],
  [['9007199254740993'], false],
])('the snapshot 90:100:90,95 shows the transactions %j: %j', (transactions, expected) => {
  expect(shows(index, transactions)).toBe(expected);
});
