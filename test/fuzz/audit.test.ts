import { describe, expect, test } from 'vitest';
import { auditFaults } from './audit.ts';
import type { StoredAnimal } from './stored-animal.ts';
import { FORBIDDEN } from './exchange.ts';
import { limitFaults } from './limits.ts';

describe('of the table', () => {
  const animal: StoredAnimal = { id: '1', name: 'honest 1', categoryId: '7', status: 'sold' };
  const added = new Map([[animal.id, animal]]);
  const other = { ...animal, id: '2', name: 'honest 2' };
  const unsure = new Set([other.name]);
  const refused = new Set(['fuzz 1']);
  const attacker = { ...animal, id: '3', name: 'fuzz 2' };

  test.each([
    ['what was added', [animal]],
    ['what may have been added', [animal, other]],
    ['what an attacker added', [animal, attacker]],
  ])('%s is no fault', (_what, stored) => {
    expect(auditFaults(stored, { added, unsure }, refused)).toEqual([]);
  });

  test.each([
    ['a missing animal', [], 'nothing is there'],
    ['one of another name', [{ ...animal, name: 'Rex' }], 'was added'],
    ['one of another category', [{ ...animal, categoryId: '8' }], 'was added'],
    ['one of another status', [{ ...animal, status: 'pending' }], 'was added'],
    ['one that is there twice', [animal, { ...animal, id: '9' }], 'nobody has added it'],
    [
      'one that nobody added',
      [animal, { ...animal, id: '9', name: 'honest 3' }],
      'nobody has added it',
    ],
    [
      'one that may have been added, twice',
      [animal, other, { ...other, id: '9' }],
      'nobody has added it',
    ],
    ['one that was refused', [animal, { ...attacker, name: 'fuzz 1' }], 'was refused'],
    [
      'one of a request that is none',
      [animal, { ...attacker, name: `${FORBIDDEN} fuzz 9` }],
      'nobody has asked for it',
    ],
  ])('%s is a fault', (_what, stored, fault) => {
    const faults = auditFaults(stored, { added, unsure }, refused);
    expect(faults).toEqual([expect.stringContaining(fault)]);
  });
});

describe('of a round', () => {
  const animal: StoredAnimal = { id: '1', name: 'honest 1', categoryId: '7', status: 'sold' };
  const honest = {
    calls: 500,
    slowest: { from: 1000, to: 5900 },
    refusedForLoad: 10,
    unsure: new Set<string>(),
    faults: [],
    added: new Map([['1', animal]]),
  };
  const round = {
    from: 1000,
    to: 2000,
    period: { from: 500, to: 10_500 },
    slowest: { number: 1066, from: 1000, to: 6900 },
    refusedForLoad: 30,
    honest,
  };
  const now = {
    turnMilliseconds: 290,
    longestHalt: { from: 1000, to: 4900 },
    heapBytes: 59e6,
    residentBytes: 590e6,
  };
  const stalls = { ofSlowestCall: 2000, ofSlowestExchange: 1000, ofLongestHalt: 2000, share: 0.01 };

  test('what is within the limits is no fault', () => {
    expect(limitFaults(round, now, stalls)).toEqual([]);
  });

  test.each([
    ['a large heap', round, { ...now, heapBytes: 63e6 }, 'of the heap'],
    [
      'a heap that never stops to grow',
      { ...round, to: 9000 },
      { ...now, heapBytes: 81e6 },
      'of the heap',
    ],
    ['much resident memory', round, { ...now, residentBytes: 610e6 }, 'resident'],
    ['a long turn', round, { ...now, turnMilliseconds: 301 }, 'one turn'],
    ['a halt', round, { ...now, longestHalt: { from: 1000, to: 5001 } }, 'stood still: 2001'],
    [
      'an exchange that takes long',
      { ...round, slowest: { number: 1066, from: 1000, to: 7001 } },
      now,
      'of exchange 1066: 5001',
    ],
    [
      'many refusals for load',
      { ...round, refusedForLoad: 31 },
      now,
      'answers that refuse for load',
    ],
    [
      'an honest client that waits',
      { ...round, honest: { ...honest, slowest: { from: 1000, to: 6001 } } },
      now,
      'client waited',
    ],
    [
      'an honest client that is refused',
      { ...round, honest: { ...honest, refusedForLoad: 16 } },
      now,
      'calls that were refused',
    ],
    [
      'an honest client that gets through to little',
      { ...round, honest: { ...honest, calls: 18, refusedForLoad: 0 } },
      now,
      'calls: 18; at least 19',
    ],
    [
      'an honest client that adds nothing',
      { ...round, honest: { ...honest, added: new Map() } },
      now,
      'added nothing',
    ],
  ])('%s is a fault', (_what, changed, statistics, fault) => {
    expect(limitFaults(changed, statistics, stalls)).toEqual([expect.stringContaining(fault)]);
  });
});
