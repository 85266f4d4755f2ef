import { decodeEscapes, hasEscapes } from './escapes.ts';

/** What every key begins with (src/auth/api-key.ts). */
export const API_KEY_PREFIX = 'asg_';

/** As much of a key as would help whoever wants to guess the rest. */
const PART_OF_KEY = /asg_[0-9A-Za-z]{8,}/g;

/** The same in decoded text, where its a may have been taken for the last digit of something encoded: `%4a` is J. */
const DECODED_PART = /(?:[a*:JZjz]|[^ -~])sg_[0-9A-Za-z]{8,}/g;

const HIDDEN = `${API_KEY_PREFIX}…`;

/**
 * The text with every key in it made unreadable, however it is encoded, for what is kept or told: people put keys
 * into addresses, names and documents by mistake.
 */
export function hideKeys(text: string): string {
  const hidden = hasEscapes(text) ? hideEncoded(text) : text;
  return hidden.includes(API_KEY_PREFIX) ? hidden.replaceAll(PART_OF_KEY, HIDDEN) : hidden;
}

/** Hides also what is not encoded, as the rest of the same key may be. */
function hideEncoded(text: string): string {
  const { text: decoded, starts } = decodeEscapes(text);
  if (!decoded.includes('sg_')) {
    return text;
  }
  let hidden = '';
  let end = 0;
  for (const { 0: part, index } of decoded.matchAll(DECODED_PART)) {
    hidden += text.slice(end, starts[index]) + HIDDEN;
    end = starts[index + part.length] ?? text.length;
  }
  return hidden + text.slice(end);
}
