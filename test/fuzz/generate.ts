import type { Exchange } from './exchange.ts';
import { CONTENT_ATTACKS } from './hostile-content.ts';
import { FRAMING_ATTACKS } from './hostile-framing.ts';
import { mutate } from './mutate.ts';
import { createRandom, type Random } from './random.ts';
import { SMUGGLED_REQUESTS } from './smuggled-requests.ts';
import { validRequest } from './valid-requests.ts';
import { writeRequest } from './wire-request.ts';

/** The exchange of this number in the run of this seed. */
export function generateExchange(seed: number, number: number): Exchange {
  const random = createRandom(`${seed} ${number}`);
  const tag = `fuzz ${number} ${random.digits(16)}`;
  switch (random.integer(0, 10)) {
    case 0:
    case 1:
      return framing(random, tag);
    case 2:
      return pipelined(random, tag);
    case 3:
    case 4:
      return mutated(random, tag);
    case 5:
      return smuggled(random, tag);
    default: {
      const [kind, attack] = random.pick(CONTENT_ATTACKS);
      const request = attack(random, tag);
      const bytes = writeRequest(request);
      return {
        kind,
        bytes,
        cuts: cuts(bytes, random),
        end: 'wait',
        methods: [request.method],
        tag,
      };
    }
  }
}

function framing(random: Random, tag: string): Exchange {
  const [kind, attack] = random.pick(FRAMING_ATTACKS);
  const bytes = attack(random, tag);
  // What follows on the connection may be taken for a part of it, or the other way round.
  const next = random.chance(0.3) ? writeRequest(validRequest(random, tag)) : Buffer.alloc(0);
  const sent = Buffer.concat([bytes, next]);
  return {
    kind,
    bytes: sent,
    cuts: cuts(sent, random),
    end: ending(random),
    methods: undefined,
    tag,
  };
}

function smuggled(random: Random, tag: string): Exchange {
  const [kind, attack] = random.pick(SMUGGLED_REQUESTS);
  const { bytes, methods } = attack(random, tag);
  const next = random.some(2, () => validRequest(random, tag));
  const sent = Buffer.concat([bytes, ...next.map(writeRequest)]);
  return {
    kind,
    bytes: sent,
    cuts: cuts(sent, random),
    end: 'wait',
    methods: methods && [...methods, ...next.map(({ method }) => method)],
    tag,
  };
}

/** Sound requests, one behind the other without waiting. */
function pipelined(random: Random, tag: string): Exchange {
  const requests = [0, ...random.some(20, Number)].map(() => validRequest(random, tag));
  const bytes = Buffer.concat(requests.map(writeRequest));
  const end = random.chance(0.8) ? 'wait' : ending(random);
  const methods = end === 'wait' ? requests.map(({ method }) => method) : undefined;
  return { kind: 'pipelining', bytes, cuts: cuts(bytes, random), end, methods, tag };
}

function mutated(random: Random, tag: string): Exchange {
  const [bytes, other] = [
    writeRequest(validRequest(random, tag)),
    writeRequest(validRequest(random, tag)),
  ];
  const sent = mutate(bytes, other, random);
  return {
    kind: 'mutations of what is right',
    bytes: sent,
    cuts: cuts(sent, random),
    end: ending(random),
    methods: undefined,
    tag,
  };
}

function ending(random: Random): Exchange['end'] {
  return random.chance(0.7) ? 'wait' : random.pick(['close', 'reset']);
}

/** Mostly in one piece, or in a few; short ones now and then byte by byte. */
function cuts(bytes: Buffer, random: Random): number[] {
  const all =
    bytes.length < 600 && random.chance(0.05)
      ? Array.from(bytes.keys())
      : random.some(5, () => random.integer(1, Math.max(1, bytes.length - 1)));
  return [...new Set(all)].filter((cut) => cut > 0).toSorted((one, next) => one - next);
}
