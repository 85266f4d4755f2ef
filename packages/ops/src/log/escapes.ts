interface Decoded {
  readonly text: string;
  /** Where each character begins in the original, and after the last one, where that ends. */
  readonly starts: Readonly<Uint32Array>;
}

const PERCENT = '%'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const U = 'u'.charCodeAt(0);

/** Cheap, and true of any text that decoding alters. */
export function hasEscapes(text: string): boolean {
  return text.includes('%') || text.includes('\\u');
}

/**
 * Decodes percent-encoding (`%61`) and JSON escapes (`\u0061`), however often they were applied, in linear time: each decoded
 * character may complete an escape that began before it. A run of backslashes counts as one, since JSON in JSON doubles
 * them.
 */
export function decodeEscapes(original: string): Decoded {
  const codes = new Uint16Array(original.length);
  const starts = new Uint32Array(original.length + 1);
  let length = 0;
  for (let index = 0; index < original.length; index += 1) {
    codes[length] = original.charCodeAt(index);
    starts[length] = index;
    length += 1;
    for (let digits = lastEscape(codes, length); digits > 0; digits = lastEscape(codes, length)) {
      const code = hexNumber(codes, length - digits, length);
      length -= digits + 1;
      while (codes[length] !== PERCENT && codes[length - 1] === BACKSLASH) {
        length -= 1;
      }
      codes[length] = code;
      length += 1;
    }
  }
  starts[length] = original.length;
  const bytes = Buffer.from(codes.buffer, 0, length * codes.BYTES_PER_ELEMENT);
  return { text: bytes.toString('utf16le'), starts };
}

/** How many digits the escape at the end of the text so far has; 0 if there is none. */
function lastEscape(codes: Uint16Array, end: number): number {
  if (hexDigit(codes[end - 1]) < 0) {
    return 0;
  }
  if (codes[end - 3] === PERCENT) {
    return hexDigit(codes[end - 2]) < 0 ? 0 : 2;
  }
  const isEscape =
    codes[end - 5] === U && codes[end - 6] === BACKSLASH && hexNumber(codes, end - 4, end) >= 0;
  return isEscape ? 4 : 0;
}

/** -1 if it is none. */
function hexNumber(codes: Uint16Array, begin: number, end: number): number {
  let number = 0;
  for (let index = begin; index < end; index += 1) {
    const digit = hexDigit(codes[index]);
    if (digit < 0) {
      return -1;
    }
    number = 16 * number + digit;
  }
  return number;
}

function hexDigit(code = 0): number {
  if (code >= 0x30 && code <= 0x39) {
    return code - 0x30;
  }
  // A letter, in lower case.
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
