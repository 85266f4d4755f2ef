import { array, constant, constantFrom, integer, oneof, tuple, type Arbitrary } from 'fast-check';
import {
  FORBIDDEN,
  get,
  post,
  TAG_PLACE,
  utf8,
  writeRequest,
  type Fields,
  type WireRequest,
} from './exchange.ts';
import { either, hostileText, mostly, repeated, text } from './hostile-values.ts';
import { validRequest } from './valid-requests.ts';

const LENGTHS = either(
  '-1|+5|0x10|5,5|5,6|99999999999999999999|18446744073709551616|1e3|5.0|0|00|4|"5"|a||5 5| 5',
);
const CODING = either(
  'chunked|Chunked|identity|gzip,chunked|chunked,gzip|chunked,chunked|xchunked|',
  'chunked;q=1|\u000bchunked|chunked |"chunked"|chunked, identity',
);
const METHODS = either(
  'HEAD|OPTIONS|PUT|DELETE|PATCH|TRACE|CONNECT|PRI|PROPFIND|QUERY|M-SEARCH|SOURCE|PURGE|get|gEt',
  `GETX|G|x|POST/1.1|__proto__||${'A'.repeat(5000)}`,
);
const TARGETS = either(
  '*|/|//|/v1//pets|http://animals.example/v1/pets|HTTP://x:80/graphql?query={__typename}',
  'http://user:password@x/v1/pets|animals.example:443|https:|http:///v1/pets|/v1/../v1/pets',
  '?limit=1|#x|/v1/pets#x|/%00|/v1/pets;a=b|\\v1\\pets|//animals.example/v1/pets||/v1/pets HTTP/1.1',
);
const VERSIONS = either(
  'HTTP/1.0|HTTP/0.9|HTTP/2.0|HTTP/3.0|HTTP/1.2|HTTP/1.10|http/1.1|HTTP/1|ICE/1.0|RTSP/1.0|x|',
);
const LINE_ENDS = either('\n|\r|\n\r|\r\r\n|\0\r\n|\x0b|\x0c|\r\n |\r\n\t| \r\n');
const FIELDS = either(
  'Host: |Host: a b|Host: a@b|Host: a|X y: z|X : y| X: y|: y|X|X:|X\0: y|X: \0|X: \x01',
  'Content-Length : 5|Transfer-Encoding : chunked|Connection: close|Connection: Authorization',
  'Connection: upgrade|Upgrade: h2c|Upgrade: websocket|HTTP2-Settings: AAMAAABk|Expect: 200-ok',
  'Expect: 100-continue|Trailer: Authorization|TE: trailers|Keep-Alive: timeout=99999',
);
/** Targets that may respond before the request body has arrived. */
const BODILESS = either('/readyz|/livez|/v1/pets|/v1/openapi.json|/graphql?query={pets{id}}|/');
const PROTOCOLS = either(
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n|\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03|SSH-2.0-x\r\n|GET /\r\n\r\n',
  'PROXY TCP4 1.1.1.1 2.2.2.2 1 2\r\n',
  `${'\0'.repeat(1000)}|${'\r\n'.repeat(3000)}|${'x'.repeat(100_000)}`,
);

const LAST_CHUNK = '0\r\n\r\n';
const JSON_TYPE: Fields[number] = ['Content-Type', 'application/json'];
/** The start of a request that adds an animal, up to the fields that give the length of its body. */
const START = writeRequest(post('/v1/pets', '')).replace('Content-Length: 0\r\n\r\n', '');
const ANIMAL = JSON.stringify({ name: TAG_PLACE, categoryId: 1 });

/** A body in valid or invalid chunks. */
function chunked(body: string): Arbitrary<string> {
  const size = body.length.toString(16);
  return oneof(
    text`${size}\r\n${body}\r\n${LAST_CHUNK}`,
    text`${size};${repeated('x', 0, 20_000)}\r\n${body}\r\n${LAST_CHUNK}`,
    text`${size};a="\r\n"\r\n${body}\r\n${LAST_CHUNK}`,
    text`0x${size}\r\n${body}\r\n${LAST_CHUNK}`,
    text`${'0'.repeat(40)}${size}\r\n${body}\r\n${LAST_CHUNK}`,
    text`-${size}\r\n${body}\r\n${LAST_CHUNK}`,
    text`ffffffffffffffff\r\n${body}\r\n${LAST_CHUNK}`,
    text`${size}\n${body}\n0\n\n`,
    text`${size}\r\n${body}XX${LAST_CHUNK}`,
    text`${size}\r\n${body}\r\n0\r\nAuthorization: Bearer x\r\nContent-Length: 5\r\n\r\n`,
    text`${size}\r\n${body}\r\n0\r\n${repeated('X: y\r\n', 1, 5000)}\r\n`,
    text`${size}\r\n${body}\r\n`,
    text` ${size} \r\n${body}\r\n${LAST_CHUNK}GET /v1/pets HTTP/1.1\r\n\r\n`,
  );
}

const chunks = chunked(ANIMAL);
const validText = validRequest.map(writeRequest);
const largeSize = constantFrom(7000, 8100, 16_300, 16_400, 70_000);
const numbered = (field: string, most: number) =>
  integer({ min: 50, max: most }).map((count) =>
    Array.from({ length: count }, (_, index) => field.replace(':', `${index}:`)).join(''),
  );

/** A valid request with additional fields in its head. */
const withFields = (fields: Arbitrary<string>) =>
  tuple(validText, fields).map(([bytes, more]) => bytes.replace('\r\n', `\r\n${more}`));

/** Attacks on the framing that separates requests. */
export const FRAMING_ATTACKS: Readonly<Record<string, Arbitrary<string>>> = {
  'a bad Content-Length': text`${START}Content-Length: ${LENGTHS}\r\n\r\n${ANIMAL}`,
  'two Content-Lengths': text`${START}Content-Length: ${LENGTHS}\r\ncontent-length: ${LENGTHS}\r\n\r\n${ANIMAL}`,
  chunks: text`${START}Transfer-Encoding: chunked\r\n\r\n${chunks}`,
  'chunks for a request without a body': tuple(
    BODILESS,
    oneof(constant('ZZ\r\n'), chunked('{}')),
  ).map(([target, body]) =>
    writeRequest({ ...get(target, [['Transfer-Encoding', 'chunked']]), body }),
  ),
  'Content-Length and Transfer-Encoding': oneof(
    text`${START}Content-Length: ${String(ANIMAL.length)}\r\nTransfer-Encoding: ${CODING}`,
    text`${START}Transfer-Encoding: ${CODING}\r\nContent-Length: ${String(ANIMAL.length)}`,
  ).chain((head) => text`${head}\r\n\r\n${oneof(constant(ANIMAL), chunks)}`),
  'a Transfer-Encoding': array(CODING, { minLength: 1, maxLength: 3 }).chain((codings) => {
    const fields = codings.map((coding) => `Transfer-Encoding: ${coding}\r\n`).join('');
    return text`${START}${fields}\r\n${chunks}`;
  }),
  methods: tuple(validRequest, METHODS).map(([request, method]) =>
    writeRequest({ ...request, method }),
  ),
  targets: tuple(validRequest, TARGETS).map(([request, target]) =>
    writeRequest({ ...request, target }),
  ),
  'targets of any bytes': hostileText.map((search) =>
    writeRequest(get(`/v1/pets?${utf8(search)}`)),
  ),
  versions: tuple(validText, VERSIONS).map(([bytes, version]) =>
    bytes.replace('HTTP/1.1', version),
  ),
  'line ends': validText.chain((bytes) => {
    const lines = bytes.split('\r\n');
    const usual = mostly(constant('\r\n'), 10, LINE_ENDS);
    const ends = oneof(...[usual, LINE_ENDS].map((end) => tuple(...lines.map(() => end))));
    return ends.map((all) => lines.map((line, index) => `${line}${all[index]}`).join(''));
  }),
  'header fields': withFields(
    array(FIELDS, { minLength: 1, maxLength: 4 }).map((fields) => `${fields.join('\r\n')}\r\n`),
  ),
  'large headers': withFields(
    oneof(
      largeSize.map((size) => `X: ${'y'.repeat(size)}\r\n`),
      largeSize.map((size) => `${'Y'.repeat(size)}: x\r\n`),
      numbered('X: y\r\n', 3000),
      numbered('Cookie: a=b\r\n', 1500),
    ),
  ),
  'no Host': text`${START.replace(/Host: .*\r\n/, '')}\r\n${ANIMAL}`,
  'a body that is too short or too long': text`${START}Content-Length: ${integer({ min: ANIMAL.length - 30, max: ANIMAL.length + 30 })}\r\n\r\n${ANIMAL}`,
  'other protocols': PROTOCOLS,
};

export interface Smuggling {
  readonly bytes: string;
  /** Undefined if the framing is invalid: the service rejects it or ends the connection. */
  readonly methods: readonly string[] | undefined;
}

/** A request that adds an animal only if the service reads it as a request. */
const HIDDEN = writeRequest(
  post('/v1/pets', JSON.stringify({ name: `${FORBIDDEN} ${TAG_PLACE}`, categoryId: 1 })),
);
const AFTER_LAST_CHUNK = LAST_CHUNK + HIDDEN;
const CHUNKED: Fields[number] = ['Transfer-Encoding', 'chunked'];
const NONE: Fields[number] = ['Content-Length', '0'];
const lengthOf = (body: string): Fields[number] => ['Content-Length', String(body.length)];

/** A request with a body that does not itself add an animal. */
function around(body: string, fields: Fields): Arbitrary<WireRequest> {
  const { target, headers } = get('/v1/pets?limit=1', [JSON_TYPE, ...fields]);
  return either('GET|POST|HEAD').map((method) => ({ method, target, headers, body }));
}

function valid(body: string, ...fields: Fields): Arbitrary<Smuggling> {
  return around(body, fields).map((request) => ({
    bytes: writeRequest(request),
    methods: [request.method],
  }));
}

function invalid(body: string, ...fields: Fields): Arbitrary<Smuggling> {
  return oneof(around(body, fields), around(body, fields.toReversed())).map((request) => ({
    bytes: writeRequest(request),
    methods: undefined,
  }));
}

const chunk = (piece: string) => `${piece.length.toString(16)}\r\n${piece}\r\n`;

/** The hidden request in one chunk or in two. */
const inChunks = oneof(
  constant(chunk(HIDDEN)),
  integer({ min: 1, max: HIDDEN.length - 1 }).map(
    (cut) => chunk(HIDDEN.slice(0, cut)) + chunk(HIDDEN.slice(cut)),
  ),
);

/**
 * Attacks that hide a request where a correct reader of the framing sees none (RFC 9112, 6.3 and 11.2): in a body, or after
 * framing that must be rejected.
 */
export const SMUGGLED_REQUESTS: Readonly<Record<string, Arbitrary<Smuggling>>> = {
  'a request in a body': valid(HIDDEN, lengthOf(HIDDEN)),
  'a request in chunks': text`${inChunks}0\r\n${either('|X: y\r\n')}\r\n`.chain((body) =>
    valid(body, CHUNKED),
  ),
  // No trailer may contain framing (RFC 9110, 6.5.1).
  'a request in chunks, and framing in the trailer':
    text`${inChunks}0\r\n${either('Content-Length: 0|Transfer-Encoding: chunked|Transfer-Encoding: identity')}\r\n\r\n`.chain(
      (body) => invalid(body, CHUNKED),
    ),
  'a request after the last chunk and within the length': invalid(
    AFTER_LAST_CHUNK,
    lengthOf(AFTER_LAST_CHUNK),
    CHUNKED,
  ),
  'a request in a chunk and after the length': inChunks.chain((body) => {
    const length = String(body.indexOf('\r\n') + 2);
    return invalid(body + LAST_CHUNK, ['Content-Length', length], CHUNKED);
  }),
  'a request within one length and after a different one': invalid(HIDDEN, NONE, lengthOf(HIDDEN)),
  'a request after a field name with a space': oneof(
    invalid(AFTER_LAST_CHUNK, ['Content-Length ', '0'], lengthOf(AFTER_LAST_CHUNK)),
    invalid(AFTER_LAST_CHUNK, ['Content-Length ', String(AFTER_LAST_CHUNK.length)], NONE),
    invalid(AFTER_LAST_CHUNK, ['Transfer-Encoding ', 'chunked'], lengthOf(AFTER_LAST_CHUNK)),
  ),
  'a request after codings of which the last is not chunked': CODING.filter(
    (name) => !/(?:^|[, \v])chunked *$/i.test(name),
  ).chain((coding) => invalid(HIDDEN, ['Transfer-Encoding', coding], NONE)),
};
