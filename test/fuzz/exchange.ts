/** What a client does on its own connection. Each character that it sends is one byte. */
export interface Exchange {
  /** The kind of attack, in words. */
  readonly kind: string;
  readonly bytes: string;
  /** The ascending offsets at which the bytes are cut into writes. */
  readonly cuts: readonly number[];
  /** How the exchange ends: by waiting for responses, by half-closing at once, or by a reset at once. */
  readonly end: 'wait' | 'close' | 'reset';
  /**
   * The methods of the requests if the bytes are only whole requests in valid framing and the client waits: each request must
   * get one response. Undefined if the standard does not define how a server reads the bytes.
   */
  readonly methods: readonly string[] | undefined;
  /** The name of every animal that it tries to add, unique to this exchange. */
  readonly tag: string;
}

/** Placeholder for the API key in an exchange, as long as a key. */
export const KEY_PLACE = `asg_${'K'.repeat(49)}`;

/** Placeholder for the tag in generated texts, as long as a tag. */
export const TAG_PLACE = `fuzz-${'T'.repeat(16)}`;

/** The prefix of names that are only stored if the service misreads the bytes. No run may leave such an animal. */
export const FORBIDDEN = 'must not be';

export type Fields = readonly (readonly [name: string, value: string])[];

/** A request before it is serialized. No headers are added to it. */
export interface WireRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Fields;
  readonly body: string;
}

export function writeRequest({ method, target, headers, body }: WireRequest): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `${method} ${target} HTTP/1.1\r\n${lines}\r\n${body}`;
}

/** The UTF-8 encoding of a text, with one character for each byte. */
export function utf8(text: string): string {
  return Buffer.from(text).toString('latin1');
}

const HEADERS: Fields = [
  ['Host', 'animals.example'],
  ['Authorization', `Bearer ${KEY_PLACE}`],
];

export function get(target: string, more: Fields = []): WireRequest {
  return { method: 'GET', target, headers: [...HEADERS, ...more], body: '' };
}

/** @param body has one character for each byte */
export function post(target: string, body: string, more: Fields = []): WireRequest {
  const json: Fields = [
    ['Content-Type', 'application/json'],
    ['Content-Length', String(body.length)],
  ];
  return { method: 'POST', target, headers: [...HEADERS, ...json, ...more], body };
}
