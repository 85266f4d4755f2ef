/* Runs in the browser: checks the access token of a sign-in. */
import { checkKey } from './key-check.js';

/** @typedef {import('./key-check.js').Verdict} Verdict */
/** @typedef {NonNullable<ReturnType<typeof import('./stored-key.js').storedToken>>} Token */

/**
 * Checks a token as far as possible without the service.
 *
 * @param {Token} token
 * @returns {Verdict | undefined}
 */
export function faultOfToken({ expiry }) {
  return expiry <= Date.now()
    ? { state: 'fails', sentence: 'Your sign-in has expired. Sign in again.' }
    : undefined;
}

/**
 * @param {Token} token
 * @returns {Promise<Verdict>}
 */
export async function checkToken({ token, expiry }) {
  const verdict = await checkKey(token, 'You');
  switch (verdict.state) {
    case 'works':
      return { ...verdict, sentence: `Signed in${until(expiry)}. ${verdict.sentence}` };
    case 'fails':
      return { ...verdict, sentence: `${verdict.sentence} Sign in again.` };
    default:
      return verdict;
  }
}

/** @param {number} expiry */
function until(expiry) {
  if (!Number.isFinite(expiry)) {
    return '';
  }
  const date = new Date(expiry);
  const isToday = date.toDateString() === new Date().toDateString();
  return ` until ${date.toLocaleString([], { timeStyle: 'short', ...(!isToday && { dateStyle: 'short' }) })}`;
}
