import type { Exchange } from './exchange.ts';

/** As a line of JSON in ASCII, to be kept and replayed. */
export function exchangeToJson({ bytes, ...rest }: Exchange): string {
  const json = JSON.stringify({ ...rest, bytes: bytes.toString('latin1') });
  return json.replaceAll(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** @throws if it is none */
export function exchangeFromJson(json: string): Exchange {
  const value: unknown = JSON.parse(json);
  if (!isWritten(value)) {
    throw new Error('not an exchange as npm run fuzz prints it');
  }
  const { kind, bytes, cuts, end, methods, tag } = value;
  return { kind, bytes: Buffer.from(bytes, 'latin1'), cuts, end, methods, tag };
}

/** JSON has no undefined: methods that nobody knows are left out. */
type Written = Omit<Exchange, 'bytes' | 'methods'> & {
  readonly bytes: string;
  readonly methods?: readonly string[];
};

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
    value.cuts.every(Number.isSafeInteger) &&
    'end' in value &&
    ['wait', 'close', 'reset'].some((end) => end === value.end) &&
    (!('methods' in value) ||
      (Array.isArray(value.methods) &&
        value.methods.every((method) => typeof method === 'string'))) &&
    'tag' in value &&
    typeof value.tag === 'string'
  );
}
