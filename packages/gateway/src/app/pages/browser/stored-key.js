/*
 * Runs in the browser: what the session storage of the tab has of the key that works, or of the access token of who signed in,
 * which the pages send alike. No other tab sees it, and no URL shows it.
 */
import { find } from './find.js';

const KEY = find('api-key-field', HTMLElement).dataset['item'] ?? '';
/** What the key may do, separated by spaces; no item for everything. */
const SCOPES = `${KEY}:scopes`;
/** When the token expires, in milliseconds since 1970, or an empty string if that isn't known; no item for an API key. */
const EXPIRY = `${KEY}:expiry`;

/** The key or token of this tab, or null. */
export function storedKey() {
  return sessionStorage.getItem(KEY);
}

/** @param {string} key */
export function storeKey(key) {
  sessionStorage.setItem(KEY, key);
}

/** @param {readonly string[] | null} scopes null for all */
export function storeScopes(scopes) {
  if (scopes === null) {
    sessionStorage.removeItem(SCOPES);
  } else {
    sessionStorage.setItem(SCOPES, scopes.join(' '));
  }
}

/**
 * @param {string} token
 * @param {number} [seconds] until it expires, if that is known
 */
export function storeToken(token, seconds) {
  forgetKey();
  storeKey(token);
  const expiry = seconds === undefined ? '' : String(Date.now() + 1000 * seconds);
  sessionStorage.setItem(EXPIRY, expiry);
}

export function forgetKey() {
  for (const item of [KEY, SCOPES, EXPIRY]) {
    sessionStorage.removeItem(item);
  }
}

/**
 * The access token of this tab, if somebody has signed in.
 *
 * @returns {{ readonly token: string, readonly expiry: number } | undefined} in milliseconds since 1970
 */
export function storedToken() {
  const token = storedKey();
  const expiry = sessionStorage.getItem(EXPIRY);
  return token === null || expiry === null
    ? undefined
    : { token, expiry: expiry === '' ? Infinity : Number(expiry) };
}
