import { constant, constantFrom, nat, oneof, tuple, uint8Array, type Arbitrary } from 'fast-check';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { FORBIDDEN, get, post, TAG_PLACE, utf8, type WireRequest } from './exchange.ts';
import { hostileDocument } from './hostile-document.ts';
import {
  either,
  hostileJson,
  hostileObject,
  hostileText,
  inUrl,
  mostly,
  repeated,
  some,
  text,
} from './hostile-values.ts';
import { eitherMediaType, validRequest } from './valid-requests.ts';

const HEADER_NAMES = either(
  'Accept|Accept-Encoding|Accept-Language|Content-Type|Content-Encoding|Cookie|If-None-Match',
  'Origin|Range|X-Request-Id|X-Forwarded-For|Forwarded|Idempotency-Key|traceparent|tracestate',
  'If-Modified-Since|Access-Control-Request-Method|Authorization|Prefer|Upgrade-Insecure-Requests',
  'X-HTTP-Method-Override|Referer|User-Agent|__proto__|constructor|Baggage|Via|Max-Forwards',
);
const ENCODINGS = either('gzip|deflate|br|zstd|identity|compress|gzip, gzip|x');
const PARAMETERS = either(
  'limit|status|after|query|variables|operationName|extensions|documentId|__proto__|a[b]|a[]',
);
/**
 * Bytes that are not UTF-8, in hexadecimal (RFC 3629, 3): lone, cut short, overlong, surrogates by themselves or in pairs
 * (CESU-8), beyond U+10FFFF.
 */
const NOT_UTF8 = either(
  'ff|80|c3|e282|f09f98|c0af|c080|e080af|eda080|edb080|eda0bdedb880|f4908080|f888808080',
).map((hex) => Buffer.from(hex, 'hex').toString('latin1'));

const CREATE = 'mutation ($input: NewPet!, $l: Int) { createPet(input: $input) { id } }';

const path = either('/v1/pets|/graphql|/v1/pets/1|/v1|/');

/** A body below the size that is rejected without being read, and sometimes one above it. */
function body(to: string | Arbitrary<string>, content: Arbitrary<string>): Arbitrary<WireRequest> {
  const length = mostly(constant(99_000), 50, constant(Infinity));
  return tuple(text`${to}`, content, length, eitherMediaType).map(([target, sent, cut, accepted]) =>
    post(target, sent.slice(0, cut), target === '/graphql' ? accepted : []),
  );
}

const TAG = `"${TAG_PLACE}"`;
const pet = hostileObject({
  name: mostly(constant(TAG), 5, hostileJson),
  categoryId: '1',
  status: '"sold"',
});
const input = hostileObject({ name: TAG, categoryId: '"1"' });
const operation = hostileObject({
  query: oneof(constant(CREATE), hostileDocument).map((query) => JSON.stringify(query)),
  variables: hostileObject({ input, l: '1', v0: '1', v1: '"a"', a: 'true' }),
});

const parameter = text`${mostly(PARAMETERS, 5, inUrl(hostileText))}=${oneof(inUrl(hostileText), inUrl(hostileJson))}`;
const search = tuple(some(8, parameter), either('&|&|&&|;|?')).map(([pairs, separator]) =>
  pairs.join(separator).slice(0, 8000),
);

/** Only characters that a header may contain. The framing attacks send the others. */
const headerValue = hostileText.map((value) =>
  utf8(value)
    .replaceAll(/[^\t -~\x80-\xff]/g, '')
    .slice(0, 1500)
    .trim(),
);

/** Compressed bodies. Their tag must be inserted before compression. */
export function compressed(tag: string): Arbitrary<WireRequest> {
  const content = oneof(pet, repeated(' ', 1, 3e6));
  const compress = constantFrom(gzipSync, deflateSync, brotliCompressSync, (same: Buffer) => same);
  const share = mostly(constant(100), 3, nat(99));
  return tuple(content, compress, share, ENCODINGS).map(([sent, change, percent, encoding]) => {
    const whole = change(Buffer.from(sent.replaceAll(TAG_PLACE, tag))).toString('latin1');
    const cut = whole.slice(0, Math.min(99_000, (whole.length * percent) / 100));
    return post('/v1/pets', cut, [['Content-Encoding', encoding]]);
  });
}

/** A name that could only be stored if the service altered it. */
const name = `${FORBIDDEN} ${TAG_PLACE}`;
const notUtf8 = tuple(
  constantFrom<(readonly [string, object])[]>(
    ['/v1/pets', { name, categoryId: 1 }],
    ['/graphql', { query: CREATE, variables: { input: { name, categoryId: '1' } } }],
    [
      '/graphql',
      { query: `mutation { createPet(input: { name: "${name}", categoryId: 1 }) { id } }` },
    ],
  ),
  nat(TAG_PLACE.length),
  NOT_UTF8,
).map(([[target, content], offset, bytes]) => {
  const json = JSON.stringify(content);
  const at = json.indexOf(TAG_PLACE) + offset;
  return post(target, json.slice(0, at) + bytes + json.slice(at));
});

/** Attacks in the content of requests with valid framing. Each request must get a response. */
export const CONTENT_ATTACKS: Readonly<Record<string, Arbitrary<WireRequest>>> = {
  'JSON for REST': body('/v1/pets', pet.map(utf8)),
  'JSON for GraphQL': body('/graphql', operation.map(utf8)),
  'JSON of any kind': body(path, hostileJson.map(utf8)),
  'GraphQL documents': body(
    '/graphql',
    hostileDocument.map((query) => utf8(JSON.stringify({ query }))),
  ),
  'GraphQL by GET': tuple(hostileDocument, eitherMediaType).map(([document, accepted]) => {
    const query = encodeURIComponent(document.slice(0, 2000).toWellFormed());
    return get(`/graphql?query=${query}`, accepted);
  }),
  'GraphQL batches': body(
    '/graphql',
    tuple(hostileDocument, nat(50)).map(([document, count]) => {
      const one = JSON.stringify({ query: document.slice(0, 500) });
      return utf8(`[${Array<string>(count).fill(one).join(',')}]`);
    }),
  ),
  'query strings': text`${path}?${search}`.map((target) => get(target)),
  paths: text`${path}/${inUrl(hostileText).map((end) => end.slice(0, 4000))}`.map((target) =>
    get(target),
  ),
  headers: tuple(validRequest, some(8, tuple(HEADER_NAMES, headerValue))).map(
    ([{ method, target, headers, body: sent }, more]) => ({
      method,
      target,
      headers: headers.concat(more),
      body: sent,
    }),
  ),
  bytes: body(
    path,
    uint8Array({ maxLength: 600, size: 'max' }).map((bytes) =>
      Buffer.from(bytes).toString('latin1'),
    ),
  ),
  'JSON that is not UTF-8': notUtf8,
  'sizes over the limits': constantFrom(
    post('/v1/pets', JSON.stringify({ name: TAG_PLACE, categoryId: 1 }).padEnd(100_001)),
    get(`/v1/pets?${'x'.repeat(10_000)}`),
    get('/v1/pets', [['X', 'y'.repeat(20_000)]]),
  ),
};
