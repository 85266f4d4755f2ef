import {
  array,
  bigInt,
  constant,
  constantFrom,
  nat,
  noBias,
  oneof,
  sample,
  tuple,
  type Arbitrary,
} from 'fast-check';
import { compressed, CONTENT_ATTACKS } from './content-attacks.ts';
import { TAG_PLACE, writeRequest, type Exchange, type WireRequest } from './exchange.ts';
import { FRAMING_ATTACKS, SMUGGLED_REQUESTS } from './framing-attacks.ts';
import { mostly, some } from './hostile-values.ts';
import { validRequest } from './valid-requests.ts';

/** The number of exchanges in a round. */
export const ROUND = 3000;

/** The first `count` exchanges of a round, generated from a seed. */
export function exchangesOf(seed: number, round: number, count: number): readonly Exchange[] {
  // Consecutive seeds do not share any rounds.
  return sample(exchange, { seed: (seed + round * 0x9e37_79b1) | 0, numRuns: count });
}

type Plan = Omit<Exchange, 'cuts' | 'tag'>;

function attackIn<Attack>(
  attacks: Readonly<Record<string, Arbitrary<Attack>>>,
): Arbitrary<readonly [kind: string, attack: Attack]> {
  return oneof(...Object.entries(attacks).map(([kind, attack]) => tuple(constant(kind), attack)));
}

const ending = mostly(constant<Exchange['end']>('wait'), 3, constantFrom('close', 'reset'));
const validText = validRequest.map(writeRequest);

// The service may read the request that follows as part of the attack, or part of the attack as a request.
const framing = tuple(attackIn(FRAMING_ATTACKS), mostly(constant(''), 3, validText), ending).map(
  ([[kind, bytes], next, end]): Plan => ({ kind, bytes: bytes + next, end, methods: undefined }),
);

const smuggled = tuple(attackIn(SMUGGLED_REQUESTS), some(2, validRequest)).map(
  ([[kind, { bytes, methods }], next]): Plan => ({
    kind,
    bytes: bytes + next.map(writeRequest).join(''),
    end: 'wait',
    methods: methods && [...methods, ...next.map(({ method }) => method)],
  }),
);

function contentPlan([kind, request]: readonly [kind: string, request: WireRequest]): Plan {
  return { kind, bytes: writeRequest(request), end: 'wait', methods: [request.method] };
}

const content = attackIn(CONTENT_ATTACKS).map(contentPlan);

/** Valid requests, sent one after the other without waiting. */
const pipelined = tuple(validRequest, some(20, validRequest), ending).map(
  ([first, more, end]): Plan => ({
    kind: 'pipelining',
    bytes: [first, ...more].map(writeRequest).join(''),
    end,
    methods: end === 'wait' ? [first, ...more].map(({ method }) => method) : undefined,
  }),
);

/** Changes a piece of a text, using a byte and the end of a different text. */
type Change = (before: string, piece: string, after: string, byte: number, other: string) => string;

const CHANGES: readonly Change[] = [
  (before, piece, after, byte) => {
    const [first = 0, ...rest] = Buffer.from(piece, 'latin1');
    return before + Buffer.from([first ^ (1 << (byte % 8)), ...rest]).toString('latin1') + after;
  },
  (before, piece, after, byte) => before + String.fromCharCode(byte) + piece + after,
  (before, _piece, after) => before + after,
  (before, piece, after) => before + piece + piece + after,
  (before) => before,
  (before, piece, after, _byte, other) => before + other.slice(0, piece.length) + after,
  (before, _piece, _after, _byte, other) => before + other,
];

const changes = array(
  tuple(
    nat(9999),
    constantFrom(1, 4, 40, 400).chain((most) => nat(most)),
    nat(9999),
    nat(255),
    constantFrom(...CHANGES),
  ),
  { minLength: 1, maxLength: 4 },
);

/** A valid request with a few changed, added, removed, repeated or foreign bytes. */
const mutated = tuple(validText, validText, changes, ending).map(
  ([bytes, other, all, end]): Plan => ({
    kind: 'mutations of a valid request',
    bytes: all.reduce((sent, [at, length, otherAt, byte, write]) => {
      const start = at % (sent.length + 1);
      const piece = sent.slice(start, start + length);
      const after = sent.slice(start + length);
      return write(sent.slice(0, start), piece, after, byte, other.slice(otherAt % other.length));
    }, bytes),
    end,
    methods: undefined,
  }),
);

/** Positions at which to cut: mostly none or few, but sometimes every position of a short text. */
function cuts({ length }: string, places: readonly number[], isEverywhere: boolean): number[] {
  const all =
    isEverywhere && length < 600
      ? Array.from({ length }, (_, index) => index)
      : places.map((place) => place % length);
  return [...new Set(all)].filter((cut) => cut > 0).toSorted((one, next) => one - next);
}

/** No two exchanges have the same tag. */
const tags = noBias(bigInt({ min: 0n, max: 2n ** 64n - 1n })).map(
  (number) => `fuzz-${number.toString(16).padStart(16, '0')}`,
);

const exchange = tags.chain((tag) => {
  const encodings = tuple(constant('encodings'), compressed(tag)).map(contentPlan);
  const plan = oneof(
    { arbitrary: content, weight: 12 },
    { arbitrary: framing, weight: 5 },
    { arbitrary: mutated, weight: 5 },
    { arbitrary: pipelined, weight: 2 },
    { arbitrary: smuggled, weight: 2 },
    encodings,
  );
  const places = some(5, nat(99_999));
  return tuple(plan, places, mostly(constant(false), 20, constant(true))).map(
    ([{ kind, bytes, end, methods }, at, isEverywhere]): Exchange => ({
      kind,
      bytes: bytes.replaceAll(TAG_PLACE, tag),
      cuts: cuts(bytes, at, isEverywhere),
      end,
      methods,
      tag,
    }),
  );
});
