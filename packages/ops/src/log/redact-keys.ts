interface Decoded {
  readonly text: string;
  /** The index in the original text at which each character begins, followed by the original text's length. */
  readonly starts: Readonly<Uint32Array>;
}

const PERCENT = '%'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const U = 'u'.charCodeAt(0);

/** Whether a text may contain escapes. This is a cheap check, which is true for every text that decoding would change. */
function hasEscapes(text: string): boolean {
  return text.includes('%') || text.includes('\\u');
}

/**
 * Decodes percent-encoding (`%61`) and JSON escapes (`\u0061`), however often they were applied. It takes linear time, because
 * each decoded character may complete an escape that began before it. A run of backslashes counts as one, because JSON within
 * JSON doubles them.
 */
function decodeEscapes(original: string): Decoded {
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

/** Returns the number of digits of the escape at the end of the text so far; 0 if there is no escape. */
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

/** Parses a hexadecimal number; returns -1 if it isn't one. */
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

interface KeyForm {
  readonly prefix: string;
  readonly part: RegExp;
  /**
   * Redacts keys in decoded text, in which the first character of a key may have become the last digit of an escape: `%4a` is J.
   */
  readonly decodedPart: RegExp;
}

/** The key prefixes of every gateway in the process, because all gateways share one log. */
const forms = new Map<string, KeyForm>();

/** From now on, redacts keys that begin with a prefix. */
export function redactKeysWith(prefix: string): void {
  redactFrom(prefix, '[0-9A-Za-z]{8,}');
}

/** From now on, redacts JWTs: header, payload and signature. */
export function redactTokens(): void {
  // Every JWT begins with `eyJ`, the Base64 of `{"`. At least 100 characters follow, because a signature alone has 86. A regular
  // expression that matches the parts separately would take quadratic time.
  redactFrom('eyJ', String.raw`[\w.-]{100,}`);
}

function redactFrom(prefix: string, secret: string): void {
  const first = prefix.charAt(0);
  const rest = prefix.slice(1);
  // Printable characters whose hexadecimal code ends in that digit.
  const mistaken = /[\da-f]/i.test(first)
    ? [2, 3, 4, 5, 6, 7].map((tens) => `\\x${tens}${first}`).join('')
    : '';
  forms.set(prefix, {
    prefix,
    part: new RegExp(`${prefix}${secret}`, 'g'),
    decodedPart: new RegExp(`(?:[${first}${mistaken}]|[^ -~])${rest}${secret}`, 'g'),
  });
}

/** Redacts every key in a text, however it is encoded, because people put keys into URLs, names and documents by mistake. */
export function redactKeys(text: string): string {
  let redacted = text;
  for (const form of forms.values()) {
    redacted = redactForm(redacted, form);
  }
  return redacted;
}

function redactForm(text: string, form: KeyForm): string {
  const decoded = hasEscapes(text) ? redactEncoded(text, form) : text;
  return decoded.includes(form.prefix) ? decoded.replaceAll(form.part, `${form.prefix}…`) : decoded;
}

/** Redacts keys that are wholly or partly encoded. */
function redactEncoded(text: string, { prefix, decodedPart }: KeyForm): string {
  const { text: decoded, starts } = decodeEscapes(text);
  if (!decoded.includes(prefix.slice(1))) {
    return text;
  }
  let redacted = '';
  let end = 0;
  for (const { 0: part, index } of decoded.matchAll(decodedPart)) {
    redacted += `${text.slice(end, starts[index])}${prefix}…`;
    end = starts[index + part.length] ?? text.length;
  }
  return redacted + text.slice(end);
}
