import { decodeEscapes, hasEscapes } from './escapes.ts';

/** Begins every API key. */
export const API_KEY_PREFIX = 'asg_';

const PART_OF_KEY = /asg_[0-9A-Za-z]{8,}/g;

/** In decoded text, where the `a` may have been taken for the last digit of an escape: `%4a` is J. */
const DECODED_PART = /(?:[a*:JZjz]|[^ -~])sg_[0-9A-Za-z]{8,}/g;

const REDACTED = `${API_KEY_PREFIX}…`;

/** Redacts every key in a text, however it is encoded: people put keys into URLs, names and documents by mistake. */
export function redactKeys(text: string): string {
  const decoded = hasEscapes(text) ? redactEncoded(text) : text;
  return decoded.includes(API_KEY_PREFIX) ? decoded.replaceAll(PART_OF_KEY, REDACTED) : decoded;
}

/** Also keys of which only a part is encoded. */
function redactEncoded(text: string): string {
  const { text: decoded, starts } = decodeEscapes(text);
  if (!decoded.includes('sg_')) {
    return text;
  }
  let redacted = '';
  let end = 0;
  for (const { 0: part, index } of decoded.matchAll(DECODED_PART)) {
    redacted += text.slice(end, starts[index]) + REDACTED;
    end = starts[index + part.length] ?? text.length;
  }
  return redacted + text.slice(end);
}
