import { getIntrospectionQuery } from 'graphql';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { generateApiKey } from '../../support/store-database.ts';
import { PETS } from '../store.ts';
import { attack, type Attack, type Call, many, random, turns } from './attack.ts';

const CONNECTIONS = 64;

const post = (path: string, body: string | Buffer, encoding?: string): Call => ({
  path,
  body,
  headers: encoding === undefined ? {} : { 'Content-Encoding': encoding },
});
const operations = (...all: readonly (() => object)[]) =>
  turns(...all.map((next) => () => post('/graphql', JSON.stringify(next()))));

const INTROSPECTION = getIntrospectionQuery();
const PAGE = 'id name categoryId status';
const unknownField = () => `{${'pets{id} '.repeat(240)} x${random()}}`;

/** Operations that are expensive, or different each time. */
const OPERATIONS: Readonly<Record<string, () => object>> = {
  'documents that repeat an unknown field’s siblings': () => ({ query: unknownField() }),
  'documents with overlapping fields': () => ({
    query: `{${many(30, () => `a:pets(limit:1){${'id name status categoryId '.repeat(5)}}`)} z${random()}:pets{id}}`,
  }),
  'documents with a chain of fragments': () => ({
    query: `{pets(limit:1){...f0}} ${many(80, (index) => `fragment f${index} on Pet{id name ${index < 79 ? `...f${index + 1}` : ''}}`)} #${random()}`,
  }),
  'documents with a chain of fragments that spread each other twice': () => ({
    query: `{pets(limit:1){...f0}} ${many(60, (index) => `fragment f${index} on Pet{id ${index < 59 ? `...f${index + 1} ...f${index + 1}` : ''}}`)} #${random()}`,
  }),
  'documents with nine pages from different positions': () => ({
    query: `{${many(9, (index) => `p${index}:pets(limit:100,after:"${random(PETS)}"){${PAGE}}`)}}`,
  }),
  'nine pages from different positions in variables': () => ({
    query: `query(${many(9, (index) => `$v${index}:ID`)}){${many(9, (index) => `p${index}:pets(limit:100,after:$v${index}){${PAGE}}`)}}`,
    variables: Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [`v${index}`, String(random(PETS))]),
    ),
  }),
  'documents with many aliases': () => ({
    query: `{pets(limit:100){id ${many(28, (index) => `a${index}_${random()}:name`)}}}`,
  }),
  'different introspection queries': () => ({ query: `${INTROSPECTION} #${random()}` }),
  'small documents, all different': () => ({ query: `{a${random()}:pets(limit:1){id}}` }),
  'variables that no operation uses': () => ({
    query: 'query($s:PetStatus){pets(status:$s,limit:1){id}}',
    variables: {
      s: 'available',
      unused: Array.from({ length: 9000 }, () => random(1e6).toString(36)),
    },
  }),
};

const animalWith = (member: string): string => `{"name":"x","categoryId":1,"n":${member}}`;

const NUMBERS = animalWith(`[${many(12_000, () => '1.5e300', ',')}]`);
const DIGITS = animalWith(`[${many(4900, () => '12345678901234567.5', ',')}]`);
const LARGE = [
  animalWith(`[${many(49_000, () => '0', ',')}]`),
  animalWith('['.repeat(49_000) + ']'.repeat(49_000)),
  animalWith(`{${many(9000, (index) => `"k${index}":1`, ',')}}`),
  animalWith(`"${'\\u0041'.repeat(16_000)}"`),
];
/** Bodies of at most 100 kB after decompression, and of far more. */
const COMPRESSED = [NUMBERS, animalWith(`"${' '.repeat(20_000_000)}"`)].flatMap((body) => [
  post('/v1/pets', gzipSync(body), 'gzip'),
  post('/v1/pets', brotliCompressSync(body), 'br'),
]);
const posts = (...bodies: readonly string[]) =>
  turns(...bodies.map((body) => () => post('/v1/pets', body)));

const CREATE = 'mutation ($input: NewPet!) { createPet(input: $input) { id } }';
const UNKNOWN_MEMBERS = `{"query":"${CREATE}","variables":{"input":{${many(8000, (index) => `"k${index}":1`, ',')}}}}`;

/** An animal in a zstd frame (RFC 8878, 3.1.1) with a window of 8 MiB, the largest accepted one, and one raw block. */
function inLargeWindow(animal: string): Buffer {
  const [magic, descriptor, window] = [[0x28, 0xb5, 0x2f, 0xfd], 0x00, (23 - 10) << 3];
  const lastRawBlock = (animal.length << 3) | 1;
  const header = [lastRawBlock & 0xff, lastRawBlock >> 8, 0];
  return Buffer.concat([
    Buffer.from([...magic, descriptor, window, ...header]),
    Buffer.from(animal),
  ]);
}

const expensiveList = (): Call => ({ path: `/v1/pets?limit=100&after=${random(PETS)}` });
const create = (headers: Record<string, string> = {}): Call => ({
  path: '/v1/pets',
  body: '{"name":"one of many","categoryId":1}',
  headers,
});
const withoutKey =
  (path: string, more: Partial<Call> = {}) =>
  (): Call => ({
    ...more,
    path,
    headers: { Authorization: '', Accept: 'text/html' },
  });
/** A request without a valid key, from an address that honest clients do not use. */
const withBadKey = (Authorization: string): Call => ({
  path: `/v1/pets/${random(PETS)}`,
  headers: { Authorization, 'X-Forwarded-For': '192.0.2.1' },
});

/** Attacks that may affect a single process and two workers differently. */
export const requestsOnWorkers: readonly Attack[] = [
  attack(
    'one key sends variables with 8,000 unknown members',
    CONNECTIONS,
    turns(() => post('/graphql', UNKNOWN_MEMBERS)),
  ),
  attack(
    'one key sends zstd bodies with windows of 8 MiB',
    CONNECTIONS,
    turns(() => post('/v1/pets', inLargeWindow('{"name":"x","categoryId":1}'), 'zstd')),
  ),
  attack(
    'one key requests animals on 64 connections while the reader of the log hangs',
    CONNECTIONS,
    turns(() => ({ path: `/v1/pets/${random(PETS)}` })),
    { isLogUnread: true },
  ),
];

export const requests: readonly Attack[] = [
  ...Object.entries(OPERATIONS).map(([name, next]) =>
    attack(`one key sends ${name}`, CONNECTIONS, operations(next)),
  ),
  attack(
    'one key sends all of these operations on two connections',
    2,
    operations(...Object.values(OPERATIONS)),
  ),
  attack(
    'one connection sends documents that are rejected, one after the other',
    1,
    operations(() => ({ query: unknownField() })),
  ),
  attack('one key sends bodies full of large numbers', CONNECTIONS, posts(NUMBERS, DIGITS)),
  attack(
    'one key sends bodies with many arrays, levels, members and escapes',
    CONNECTIONS,
    posts(...LARGE),
  ),
  attack(
    'one key sends compressed bodies',
    CONNECTIONS,
    turns(...COMPRESSED.map((call) => () => call)),
  ),
  attack('one key lists animals on 64 connections', CONNECTIONS, turns(expensiveList)),
  attack('one key creates animals on 64 connections', CONNECTIONS, turns(create)),
  attack(
    'one key creates animals with equal and different Idempotency-Keys',
    CONNECTIONS,
    turns(
      () => create({ 'Idempotency-Key': `k${random()}` }),
      () => create({ 'Idempotency-Key': `k${random(5)}` }),
    ),
  ),
  attack('one key is over its rate limit on 1,000 connections', 1000, turns(expensiveList), {
    // The honest clients stay below this limit.
    env: { RATE_LIMIT: '600/10s' },
  }),
  attack(
    'one address sends missing, malformed and unknown keys on 200 connections',
    200,
    turns(
      () => withBadKey(''),
      () => withBadKey(`Bearer asg_${'x'.repeat(49)}`),
      () => withBadKey(`Bearer ${generateApiKey()}`),
      () => withBadKey(`Basic ${'x'.repeat(6000)}`),
      () => withBadKey(`Bearer ${many(300, () => 'asg_x', ',')}`),
    ),
    { env: { TRUSTED_PROXIES: 'loopback' } },
  ),
  attack(
    'one key sends URLs of 15 kB',
    CONNECTIONS,
    turns(
      () => ({ path: `/v1/pets?${many(2500, (index) => `a${index}`, '&')}&after=${random(PETS)}` }),
      () => ({ path: `/v1/pets?after=${'%30'.repeat(4900)}${random(PETS)}` }),
      () => ({
        path: `/graphql?query=${encodeURIComponent(`{${'pets{id} '.repeat(230)} x${random()}}`)}`,
      }),
    ),
  ),
  attack(
    'a client without a key requests unknown paths with all methods',
    CONNECTIONS,
    turns(
      ...['GET', 'HEAD', 'OPTIONS', 'PUT', 'TRACE'].map(
        (method) => () => withoutKey(`/${random()}`, { method })(),
      ),
    ),
  ),
  attack(
    'a client without a key sends health checks on 200 connections',
    200,
    turns(withoutKey('/livez'), withoutKey('/readyz')),
  ),
  attack(
    'a client without a key reads all pages on 64 connections',
    CONNECTIONS,
    turns(
      ...['/', '/assets/graphiql/graphiql.js', '/docs', '/v1/openapi.yaml', '/schema.graphql'].map(
        (path) => withoutKey(path),
      ),
    ),
  ),
];
