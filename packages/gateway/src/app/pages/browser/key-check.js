/* Runs in the browser: checks an API key, by its form and then by asking the service. */

/** Characters of a key after its prefix. */
const LENGTH = 49;
const FORM = new RegExp(`^[0-9A-Za-z]{${LENGTH}}$`);

const CREATE = 'npm run --silent keys -- create NAME';

/** The state of a key while the service doesn't answer. */
export const UNREACHABLE = 'The key is checked when the service answers again.';

/** The service as the browser sees it, below a proxy's prefix too: this script is one folder below. */
export const SERVICE = new URL('..', import.meta.url);

/**
 * The state of a key. `none` is no key at all; `unknown` is a key that could not be checked.
 *
 * @typedef {'none' | 'checking' | 'works' | 'fails' | 'unknown'} State
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
 * Checks a key as far as possible without the service.
 *
 * @param {string} key
 * @param {string} prefix
 * @returns {[State, string, string?] | undefined} with a command that is part of the sentence, at its end
 */
export function faultOf(key, prefix) {
  if (key === '') {
    return ['none', 'Every operation needs an API key. Create one:', CREATE];
  }
  if (/^(?:authorization:\s*)?bearer\b/i.test(key)) {
    return ['fails', 'Paste the key alone, without Bearer.'];
  }
  if (!isComplete(key, prefix)) {
    return [
      'fails',
      `An API key begins with ${prefix} and has ${prefix.length + LENGTH} characters; this one has ${key.length}.`,
    ];
  }
  return undefined;
}

/**
 * Asks the service about a key, by its smallest request.
 *
 * @param {string} key
 * @param {string} request its target, relative to the service
 * @returns {Promise<[State, string]>}
 */
export async function checkKey(key, request) {
  try {
    const response = await fetch(new URL(request, SERVICE), {
      headers: { Accept: 'application/json', Authorization: `Bearer ${key}` },
    });
    if (response.ok) {
      return ['works', 'This key works.'];
    }
    const message = await messageOf(response);
    return response.status === 401 && message !== undefined
      ? ['fails', `${message}.`]
      : unchecked(
          message ?? `the service responded ${response.status}`,
          response.headers.get('Retry-After'),
        );
  } catch {
    window.dispatchEvent(new Event('service-unreachable'));
    return ['unknown', UNREACHABLE];
  }
}

/**
 * @param {Response} response
 * @returns {Promise<string | undefined>} undefined if it isn't the service's: a proxy answers with pages
 */
async function messageOf(response) {
  try {
    /** @type {unknown} */
    const body = await response.json();
    return typeof body === 'object' && body !== null && 'message' in body
      ? String(body.message)
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} why
 * @param {string | null} [delay] in seconds, or a date
 * @returns {[State, string]}
 */
function unchecked(why, delay = null) {
  const when = delay !== null && /^\d+$/.test(delay) ? ` in ${delay} s` : '';
  return ['unknown', `The key could not be checked: ${why}. Press Enter to try again${when}.`];
}
