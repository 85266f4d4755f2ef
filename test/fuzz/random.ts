import { createHash } from 'node:crypto';

/** Choices that a seed decides, so that a run can be done again. */
export interface Random {
  /** An integer of min to max, both included. */
  readonly integer: (min: number, max: number) => number;
  readonly chance: (probability: number) => boolean;
  readonly pick: <T>(items: readonly T[]) => T;
  /** As many things as it chooses, at most `max`; few more often than many. */
  readonly some: <T>(max: number, make: (index: number) => T) => T[];
  /** Hexadecimal digits. */
  readonly digits: (count: number) => string;
}

/** sfc32 (https://pracrand.sourceforge.net), begun with the SHA-256 of a seed. */
export function createRandom(seed: string): Random {
  const begin = createHash('sha256').update(seed).digest();
  let [a, b, c, counter] = [begin.readInt32LE(0), begin.readInt32LE(4), begin.readInt32LE(8), 1];

  /** At least 0 and less than 1. */
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  const integer: Random['integer'] = (min, max) => min + Math.floor(next() * (max - min + 1));

  return {
    integer,
    chance: (probability) => next() < probability,
    pick: (items) => {
      const item = items[integer(0, items.length - 1)];
      if (item === undefined) {
        throw new Error('nothing to choose from');
      }
      return item;
    },
    some: (max, make) =>
      Array.from({ length: Math.floor(next() ** 2 * (max + 1)) }, (_, index) => make(index)),
    digits: (count) => Array.from({ length: count }, () => integer(0, 15).toString(16)).join(''),
  };
}
