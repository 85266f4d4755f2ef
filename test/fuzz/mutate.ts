import type { Random } from './random.ts';

/** A few changes of bytes: flipped bits, and pieces that are cut out, doubled, moved, or taken from another. */
export function mutate(bytes: Buffer, other: Buffer, random: Random): Buffer {
  let mutated = bytes;
  for (let count = random.integer(1, 4); count > 0; count -= 1) {
    mutated = mutateOnce(mutated, other, random);
  }
  return mutated;
}

function mutateOnce(bytes: Buffer, other: Buffer, random: Random): Buffer {
  const [start, end] = range(bytes, random);
  const before = bytes.subarray(0, start);
  const piece = bytes.subarray(start, end);
  const after = bytes.subarray(end);
  switch (random.integer(0, 7)) {
    case 0:
    case 1: {
      const flipped = Buffer.from(bytes);
      const byte = flipped[start];
      if (byte !== undefined) {
        flipped[start] = byte ^ (1 << random.integer(0, 7));
      }
      return flipped;
    }
    case 2:
      return Buffer.concat([before, Buffer.from([random.integer(0, 255)]), bytes.subarray(start)]);
    case 3:
      return Buffer.concat([before, after]);
    case 4:
      return Buffer.concat([before, piece, piece, after]);
    case 5:
      return before;
    case 6: {
      const [otherStart, otherEnd] = range(other, random);
      return Buffer.concat([before, other.subarray(otherStart, otherEnd), after]);
    }
    default:
      return Buffer.concat([before, other.subarray(range(other, random)[0])]);
  }
}

function range(bytes: Buffer, random: Random): [start: number, end: number] {
  const start = random.integer(0, bytes.length);
  return [start, Math.min(bytes.length, start + random.integer(0, random.pick([1, 4, 40, 400])))];
}
