import { expect, test } from 'vitest';
import { shows } from '../src/replicas/read-at.ts';

const index = { identity: '', timeline: 1, position: '0/0', snapshot: '90:100:90,95' };

test.each([
  [[], true],
  [['89', '91', '99'], true],
  [['91', '95'], false],
  [['100'], false],
  [['9007199254740993'], false],
])(
  'for the snapshot 90:100:90,95 and the transactions %j, shows returns %j',
  (transactions, expected) => {
    expect(shows(index, transactions)).toBe(expected);
  },
);
