import { createScalar } from './scalar.ts';

export const bytesScalar = createScalar({
  name: 'Bytes',
  description: 'Bytes in base64 with padding (RFC 4648, 4), such as `"AAEC"`.',
  expected: 'bytes in base64 with padding (RFC 4648, 4), such as "AAEC"',
  jsonSchema: {
    type: 'string',
    contentEncoding: 'base64',
    pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
  },
  example: 'AAEC',
  parse: (value) => {
    if (value instanceof Uint8Array) {
      return new Uint8Array(value);
    }
    const bytes = Buffer.from(typeof value === 'string' ? value : '=', 'base64');
    // Node skips what is no base64.
    return bytes.toString('base64') === value ? new Uint8Array(bytes) : undefined;
  },
  serialize: (value) => {
    if (!(value instanceof Uint8Array)) {
      throw new TypeError('Bytes is of a Uint8Array');
    }
    return Buffer.from(value).toString('base64');
  },
});
