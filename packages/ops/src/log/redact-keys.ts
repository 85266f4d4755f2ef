import { decodeEscapes, hasEscapes } from './escapes.ts';

interface KeyForm {
  readonly prefix: string;
  readonly part: RegExp;
  /** In decoded text, where the first character may have been taken for the last digit of an escape: `%4a` is J. */
  readonly decodedPart: RegExp;
}

/** Of every gateway in the process, since they share one log. */
const forms = new Map<string, KeyForm>();

/** Has keys redacted that begin with this, from now on. */
export function redactKeysWith(prefix: string): void {
  redactFrom(prefix, '[0-9A-Za-z]{8,}');
}

/** Has JWTs redacted, from now on: header, payload and signature. */
export function redactTokens(): void {
  // The Base64 of `{"`; a signature alone has 86 characters. Two parts in one expression would take quadratic time.
  redactFrom('eyJ', String.raw`[\w.-]{100,}`);
}

function redactFrom(prefix: string, secret: string): void {
  const first = prefix.charAt(0);
  const rest = prefix.slice(1);
  // Printable characters whose code, in hexadecimal, ends in that digit.
  const mistaken = /[\da-f]/i.test(first)
    ? [2, 3, 4, 5, 6, 7].map((tens) => `\\x${tens}${first}`).join('')
    : '';
  forms.set(prefix, {
    prefix,
    part: new RegExp(`${prefix}${secret}`, 'g'),
    decodedPart: new RegExp(`(?:[${first}${mistaken}]|[^ -~])${rest}${secret}`, 'g'),
  });
}

/** Redacts every key in a text, however it is encoded: people put keys into URLs, names and documents by mistake. */
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

/** Also keys of which only a part is encoded. */
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
