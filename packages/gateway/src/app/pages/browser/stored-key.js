/*
 * Runs in the browser: the valid API key or the access token in the tab's session storage. Pages send either in the same way. No
 * other tab can read the item, and no URL contains its value.
 */
import { find } from './find.js';

const KEY = find('api-key-field', HTMLElement).dataset['item'] ?? '';
/** The scopes of the key, separated by spaces. Without this item, the key has all scopes. */
const SCOPES = `${KEY}:scopes`;
/** When the token expires, in milliseconds since 1970, or an empty string if that is unknown. API keys don't have this item. */
const EXPIRY = `${KEY}:expiry`;

/** Returns this tab's key or token, or null. */
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
 * Returns this tab's access token, if someone has signed in.
 *
 * @returns {{ readonly token: string, readonly expiry: number } | undefined} `expiry` is in milliseconds since 1970
 */
export function storedToken() {
  const token = storedKey();
  const expiry = sessionStorage.getItem(EXPIRY);
  return token === null || expiry === null
    ? undefined
    : { token, expiry: expiry === '' ? Infinity : Number(expiry) };
}
