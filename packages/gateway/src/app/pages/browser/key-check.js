/* Runs in the browser: checks an API key, first by its format and then by asking the service. */
import { rightsOf, rightsSentence } from './key-rights.js';

/** Number of characters of a key after its prefix. */
const LENGTH = 49;
const FORM = new RegExp(`^[0-9A-Za-z]{${LENGTH}}$`);

const CREATE = 'npm run --silent keys -- create NAME';

/** The status text while the service doesn't respond. */
export const UNREACHABLE = 'The key will be checked when the service responds again.';

/** The service's URL, including a proxy's prefix. This script is one folder below it. */
export const SERVICE = new URL('..', import.meta.url);

/**
 * The state of a key. `none` means that there is no key, `unknown` that the key could not be checked.
 *
 * @typedef {'none' | 'checking' | 'works' | 'fails' | 'unknown'} State
 *
 * @typedef {{
 *   readonly state: State,
 *   readonly sentence: string,
 *   readonly command?: string,
 *   readonly scopes?: readonly string[] | null,
 * }} Verdict `command` is shown at the end of the sentence; `scopes` are the scopes of a valid key, or null for all
 */

/**
 * Whether a key has all its characters.
 *
 * @param {string} key
 * @param {string} prefix
 */
export function isComplete(key, prefix) {
  return key.startsWith(prefix) && FORM.test(key.slice(prefix.length));
}

/**
 * Extracts the key from a pasted text such as `API_KEY=…` or `Authorization: Bearer …`. Returns the text itself if it contains no
 * key, or several.
 *
 * @param {string} text
 * @param {string} prefix
 */
export function keyIn(text, prefix) {
  const keys = text.split(/\W+/).filter((word) => isComplete(word, prefix));
  return keys.length === 1 ? (keys[0] ?? text) : text.trim();
}

/** Whether this browser runs on the service's machine, so that its commands can be run there. */
export function isOperator() {
  return ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname);
}

/**
 * Checks a key as far as possible without the service.
 *
 * @param {string} key
 * @param {string} prefix
 * @returns {Verdict | undefined}
 */
export function faultOf(key, prefix) {
  if (key === '') {
    const needed = 'Every operation needs an API key.';
    return isOperator()
      ? { state: 'none', sentence: `${needed} Create one:`, command: CREATE }
      : { state: 'none', sentence: `${needed} Ask the operator of this service for one.` };
  }
  if (!isComplete(key, prefix)) {
    return {
      state: 'fails',
      sentence: `An API key begins with ${prefix} and has ${prefix.length + LENGTH} characters; this one has ${key.length}.`,
    };
  }
  return undefined;
}

/**
 * Asks the service what a key may do.
 *
 * @param {string} key or an access token
 * @param {Parameters<typeof rightsSentence>[1]} [subject]
 * @returns {Promise<Verdict>}
 */
export async function checkKey(key, subject = 'This key') {
  try {
    const response = await fetch(new URL('key', SERVICE), {
      headers: { Accept: 'application/json', Authorization: `Bearer ${key}` },
    });
    const body = await bodyOf(response);
    if (response.ok && body !== undefined) {
      const rights = rightsOf(body);
      const sentence = rightsSentence(rights, subject);
      return { state: 'works', sentence, scopes: rights.scopes };
    }
    const message = body && 'message' in body ? String(body.message) : undefined;
    // 403 means that the key may not be used on this page's origin.
    return [401, 403].includes(response.status) && message !== undefined
      ? { state: 'fails', sentence: `${message}.` }
      : unchecked(
          message ?? `the service responded with ${response.status}`,
          response.headers.get('Retry-After'),
        );
  } catch {
    window.dispatchEvent(new Event('service-unreachable'));
    return { state: 'unknown', sentence: UNREACHABLE };
  }
}

/**
 * @param {Response} response
 * @returns {Promise<object | undefined>} undefined if it isn't JSON, as when a proxy responds with a page
 */
async function bodyOf(response) {
  try {
    /** @type {unknown} */
    const body = await response.json();
    return typeof body === 'object' && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} why
 * @param {string | null} [delay] in seconds, or a date
 * @returns {Verdict}
 */
function unchecked(why, delay = null) {
  const when = delay !== null && /^\d+$/.test(delay) ? ` in ${delay} s` : '';
  return {
    state: 'unknown',
    sentence: `The key could not be checked: ${why}. Press Enter to try again${when}.`,
  };
}
