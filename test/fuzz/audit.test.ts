import { describe, expect, test } from 'vitest';
import { auditFaults, type StoredAnimal } from './audit.ts';
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
    slowest: 400,
    refusedForLoad: 10,
    unsure: new Set<string>(),
    faults: [],
    added: new Map([['1', animal]]),
  };
  const round = { from: 1000, to: 2000, milliseconds: 10_000, refusedForLoad: 20, honest };
  const now = {
    delayMilliseconds: 1900,
    turnMilliseconds: 290,
    heapBytes: 59e6,
    residentBytes: 590e6,
  };

  test('what is within the limits is no fault', () => {
    expect(limitFaults(round, now)).toEqual([]);
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
    ['a halt', round, { ...now, delayMilliseconds: 2001 }, 'stood still'],
    [
      'many refusals for load',
      { ...round, refusedForLoad: 21 },
      now,
      'answers that refuse for load',
    ],
    [
      'an honest client that waits',
      { ...round, honest: { ...honest, slowest: 3001 } },
      now,
      'client waited',
    ],
    [
      'an honest client that is refused',
      { ...round, honest: { ...honest, refusedForLoad: 11 } },
      now,
      'calls that were refused',
    ],
    [
      'an honest client that gets through to little',
      { ...round, honest: { ...honest, calls: 19, refusedForLoad: 0 } },
      now,
      'calls: 19',
    ],
    [
      'an honest client that adds nothing',
      { ...round, honest: { ...honest, added: new Map() } },
      now,
      'added nothing',
    ],
  ])('%s is a fault', (_what, changed, statistics, fault) => {
    expect(limitFaults(changed, statistics)).toEqual([expect.stringContaining(fault)]);
  });
});
