/** What every key begins with (src/auth/api-key.ts). */
export const API_KEY_PREFIX = 'asg_';

/** As much of a key as would help whoever wants to guess the rest. */
const PART_OF_KEY = new RegExp(`${API_KEY_PREFIX}[0-9A-Za-z]{8,}`, 'g');

/**
 * The text with every key in it made unreadable, for what is kept or told: people put keys into addresses,
 * names and documents by mistake.
 */
export function hideKeys(text: string): string {
  return text.includes(API_KEY_PREFIX) ? text.replaceAll(PART_OF_KEY, `${API_KEY_PREFIX}…`) : text;
}
