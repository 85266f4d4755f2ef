import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { hostileDocument } from './hostile-document.ts';
import { hostileJson, hostileObject } from './hostile-json.ts';
import { hostileText, inUrl } from './hostile-text.ts';
import { notUtf8 } from './not-utf8.ts';
import type { Random } from './random.ts';
import { eitherMediaType, get, post, validRequest } from './valid-requests.ts';
import { utf8AsLatin1, type WireRequest } from './wire-request.ts';

type Attack = (random: Random, tag: string) => WireRequest;

const HEADER_NAMES = [
  ...'Accept Accept-Encoding Accept-Language Content-Type Content-Encoding Cookie If-None-Match'.split(
    ' ',
  ),
  ...'Origin Range X-Request-Id X-Forwarded-For Forwarded Idempotency-Key traceparent tracestate'.split(
    ' ',
  ),
  ...'If-Modified-Since Access-Control-Request-Method Authorization Prefer Upgrade-Insecure-Requests'.split(
    ' ',
  ),
  ...'X-HTTP-Method-Override Referer User-Agent __proto__ constructor Baggage Via Max-Forwards'.split(
    ' ',
  ),
];
const ENCODINGS = ['gzip', 'deflate', 'br', 'zstd', 'identity', 'compress', 'gzip, gzip', 'x'];
const PARAMETERS =
  'limit status after query variables operationName extensions documentId __proto__ a[b] a[]'.split(
    ' ',
  );
/** Attacks by what sound requests hold, each in a word; all of them are to be answered. */
export const CONTENT_ATTACKS: readonly (readonly [kind: string, attack: Attack])[] = [
  ['JSON for REST', (random, tag) => body(random, '/v1/pets', pet(random, tag))],
  ['JSON for GraphQL', (random, tag) => body(random, '/graphql', operation(random, tag))],
  ['JSON of any kind', (random) => body(random, path(random), hostileJson(random, 5))],
  [
    'GraphQL documents',
    (random, tag) =>
      body(random, '/graphql', JSON.stringify({ query: hostileDocument(random, tag) })),
  ],
  [
    'GraphQL by GET',
    (random, tag) =>
      get(
        `/graphql?query=${encodeURIComponent(hostileDocument(random, tag).slice(0, 2000).toWellFormed())}`,
        eitherMediaType(random),
      ),
  ],
  [
    'GraphQL batches',
    (random, tag) => {
      const one = JSON.stringify({ query: hostileDocument(random, tag).slice(0, 500) });
      return body(random, '/graphql', `[${random.some(50, () => one).join(',')}]`);
    },
  ],
  ['query strings', (random) => get(`${path(random)}?${search(random)}`)],
  [
    'paths',
    (random) => get(`${path(random)}/${inUrl(hostileText(random), random).slice(0, 4000)}`),
  ],
  ['headers', withHostileHeaders],
  ['bytes', (random) => body(random, path(random), bytes(random))],
  ['encodings', encoded],
  ['JSON that is not UTF-8', notUtf8],
];

function path(random: Random): string {
  return random.pick(['/v1/pets', '/graphql', '/v1/pets/1', '/v1', '/']);
}

/** A body below the size that is refused unread; now and then one that isn't. */
function body(random: Random, target: string, content: string | Buffer): WireRequest {
  const sent = Buffer.from(content);
  const accepted = target === '/graphql' ? eitherMediaType(random) : [];
  return post(target, random.chance(0.02) ? sent : sent.subarray(0, 99_000), accepted);
}

function pet(random: Random, tag: string): string {
  const members = { name: JSON.stringify(tag), categoryId: '1', status: '"sold"' };
  return hostileObject(
    random.chance(0.2) ? { ...members, name: hostileJson(random) } : members,
    random,
  );
}

function operation(random: Random, tag: string): string {
  const query = random.chance(0.5)
    ? 'mutation ($input: NewPet!, $l: Int) { createPet(input: $input) { id } }'
    : hostileDocument(random, tag);
  const input = hostileObject({ name: JSON.stringify(tag), categoryId: '"1"' }, random);
  const variables = hostileObject({ input, l: '1', v0: '1', v1: '"a"', a: 'true' }, random);
  return hostileObject({ query: JSON.stringify(query), variables }, random);
}

function search(random: Random): string {
  const pairs = random.some(8, () => {
    const name = random.chance(0.8) ? random.pick(PARAMETERS) : inUrl(hostileText(random), random);
    const value = random.chance(0.5)
      ? inUrl(hostileText(random), random)
      : inUrl(hostileJson(random, 2), random);
    return `${name}=${value}`;
  });
  return pairs.join(random.pick(['&', '&', '&&', ';', '?'])).slice(0, 8000);
}

function withHostileHeaders(random: Random, tag: string): WireRequest {
  const request = validRequest(random, tag);
  const more = random.some(8, (): [string, string] => [
    random.pick(HEADER_NAMES),
    // Only what a header may hold: all else is for the attacks on framing.
    utf8AsLatin1(hostileText(random))
      .replaceAll(/[^\t -~\x80-\xff]/g, '')
      .slice(0, 1500)
      .trim(),
  ]);
  return { ...request, headers: [...request.headers, ...more] };
}

function bytes(random: Random): Buffer {
  return Buffer.from(Array.from({ length: random.integer(0, 600) }, () => random.integer(0, 255)));
}

function encoded(random: Random, tag: string): WireRequest {
  const content = Buffer.from(
    random.chance(0.5) ? pet(random, tag) : ' '.repeat(random.integer(1, 3e6)),
  );
  const compressed = random.pick([
    gzipSync,
    deflateSync,
    brotliCompressSync,
    (same: Buffer) => same,
  ])(content);
  const cut = random.chance(0.3)
    ? compressed.subarray(0, random.integer(0, compressed.length))
    : compressed;
  return post('/v1/pets', cut.subarray(0, 99_000), [['Content-Encoding', random.pick(ENCODINGS)]]);
}
