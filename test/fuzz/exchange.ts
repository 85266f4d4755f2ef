/** What a client does on a connection of its own. */
export interface Exchange {
  /** What kind of attack it is, in words. */
  readonly kind: string;
  readonly bytes: Buffer;
  /** Where the bytes are cut into writes, ascending. */
  readonly cuts: readonly number[];
  /** How it ends: by waiting for answers, by half-closing at once, or by a reset at once. */
  readonly end: 'wait' | 'close' | 'reset';
  /**
   * The methods of the requests, if the bytes are nothing but whole requests in sound framing: each is to be
   * answered. Undefined if nobody knows what a server should make of the bytes.
   */
  readonly methods: readonly string[] | undefined;
  /** In the name of each animal that it asks for; nothing else has it. */
  readonly tag: string;
}

/** Stands in exchanges for the key, which each run has another of; as long as one. */
export const KEY_PLACE = `asg_${'K'.repeat(49)}`;

/** A request before it is written. Nothing is added to it. */
export interface WireRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** As HTTP/1.1 has it; what isn't ASCII in it is taken as bytes of Latin-1. */
export function writeRequest({ method, target, headers, body }: WireRequest): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.concat([
    Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines}\r\n`, 'latin1'),
    body,
  ]);
}

/** A text as it goes into a request line or a header: its UTF-8, in characters of one byte each. */
export function utf8AsLatin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** As a line of JSON in ASCII, to be kept and replayed. */
export function exchangeToJson({ bytes, ...rest }: Exchange): string {
  const json = JSON.stringify({ ...rest, bytes: bytes.toString('latin1') });
  return json.replaceAll(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** @throws if it is none */
export function exchangeOfJson(json: string): Exchange {
  const value: unknown = JSON.parse(json);
  if (!isWritten(value)) {
    throw new Error('not an exchange as npm run fuzz prints it');
  }
  const { kind, bytes, cuts, end, methods, tag } = value;
  return { kind, bytes: Buffer.from(bytes, 'latin1'), cuts, end, methods, tag };
}

type Written = Omit<Exchange, 'bytes'> & { readonly bytes: string };

function isWritten(value: unknown): value is Written {
  return (
    typeof value === 'object' &&
    value !== null &&
    'kind' in value &&
    typeof value.kind === 'string' &&
    'bytes' in value &&
    typeof value.bytes === 'string' &&
    'cuts' in value &&
    Array.isArray(value.cuts) &&
    'end' in value &&
    ['wait', 'close', 'reset'].some((end) => end === value.end) &&
    'tag' in value &&
    typeof value.tag === 'string'
  );
}
