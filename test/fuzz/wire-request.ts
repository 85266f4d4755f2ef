/** A request before it is written. Nothing is added to it. */
export interface WireRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** As HTTP/1.1 has it; what isn't ASCII in its head is taken as bytes of Latin-1. */
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
