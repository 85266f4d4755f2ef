/* Runs in the browser: sends the user's operations with the page's API key. */
import { setText, textOf } from './editors.js';
import { renewIdempotencyKey } from './idempotency-key.js';
import { scrollToResponse, showResponse } from './response-bar.js';
import { fetchSchema, SCHEMA_QUERY } from './schema.js';

/** The session storage item in which <api-key-field> stores a valid API key. */
const KEY_ITEM = document.querySelector('api-key-field')?.getAttribute('data-item') ?? '';
const CAN_SIGN_IN = document.querySelector('api-key-field[data-issuer]') !== null;
const NO_RESPONSE = 'The service did not respond.';

/**
 * The API key that the shown response was requested with, or null if there was none; undefined before the first response.
 *
 * @type {string | null | undefined}
 */
let answeredWith;

/**
 * Runs an operation for GraphiQL.
 *
 * @type {Fetcher}
 */
export async function fetcher(request, options) {
  const { query, operationName } = request;
  if (operationName === SCHEMA_QUERY) {
    return fetchSchema();
  }
  // After the user switches tabs, the operation name is still that of the previous tab.
  const isNamed = query.includes(operationName ?? '');
  const body = JSON.stringify({ ...request, operationName: isNamed ? operationName : undefined });
  // GraphiQL replaces JSON.parse with a function that keeps large integers exact.
  /** @type {unknown} */
  const result = JSON.parse(await run(body, Object.entries(options?.headers ?? {})));
  return result;
}

/**
 * @param {string} body of the request
 * @param {readonly (readonly [name: string, value: unknown])[]} own the user's headers, which take precedence
 * @returns the response as JSON
 */
export async function run(body, own) {
  const key = await checkedKey();
  answeredWith = key;
  const headers = headersOf(key, own);
  showResponse(undefined);
  if (!headers.has('Authorization')) {
    window.dispatchEvent(new Event('api-key-needed'));
    return errorResult(
      `${CAN_SIGN_IN ? 'Sign in, or enter' : 'Enter'} an API key in the field above`,
    );
  }
  try {
    const { response, text } = await send(body, headers);
    if (response.status === 401 && headers.get('Authorization') === `Bearer ${key}`) {
      window.dispatchEvent(new Event('api-key-needed'));
    } else {
      scrollToResponse();
    }
    const result = resultOf(text);
    if (response.ok && result !== undefined && !('errors' in result)) {
      renewIdempotencyKey(headers);
    }
    return result === undefined ? notFromGateway(response) : text;
  } catch {
    scrollToResponse();
    return unreachable();
  }
}

/**
 * @param {string} body
 * @param {Headers} headers
 */
async function send(body, headers) {
  const started = performance.now();
  // Relative to the page, so that it also works below a proxy's prefix.
  const response = await fetch(location.pathname, { method: 'POST', headers, body });
  const text = await response.text();
  showResponse({ response, took: performance.now() - started });
  return { response, text };
}

/** Returns the page's API key or null, after waiting for a check of the key in progress. */
async function checkedKey() {
  const isUnchecked = document.querySelector('api-key-field[data-state=checking]') !== null;
  if (isUnchecked && sessionStorage.getItem(KEY_ITEM) === null) {
    await new Promise((resolve) => {
      window.addEventListener('api-key', resolve, { once: true });
    });
  }
  return sessionStorage.getItem(KEY_ITEM);
}

/**
 * @param {string | null} key
 * @param {readonly (readonly [name: string, value: unknown])[]} own from the headers editor
 */
function headersOf(key, own) {
  // With this media type, an invalid query gets 200, which the browser's console doesn't report as an error.
  const headers = new Headers({ Accept: 'application/json', 'Content-Type': 'application/json' });
  if (key !== null) {
    headers.set('Authorization', `Bearer ${key}`);
  }
  for (const [header, value] of own) {
    headers.set(header, String(value));
  }
  return headers;
}

/**
 * @param {string} text
 * @returns {object | undefined} undefined if it is not from the service
 */
function resultOf(text) {
  try {
    /** @type {unknown} */
    const result = JSON.parse(text);
    return typeof result === 'object' && result !== null ? result : undefined;
  } catch {
    // A proxy may respond with a page or, during an outage, with its own error.
    return undefined;
  }
}

/** @param {Response} response */
function notFromGateway({ status }) {
  return status >= 500
    ? unreachable()
    : errorResult(`The response, ${status}, is not from the service.`);
}

/** Makes the page wait for the service. */
function unreachable() {
  window.dispatchEvent(new Event('service-unreachable'));
  return errorResult(NO_RESPONSE);
}

/** @param {string} message */
export function errorResult(message) {
  return JSON.stringify({ errors: [{ message }] });
}

function clearResponse() {
  setText('response.json', '');
  showResponse(undefined);
}

window.addEventListener('api-key', () => {
  const key = sessionStorage.getItem(KEY_ITEM);
  // The response may depend on the previous key.
  if (answeredWith !== undefined && key !== null && key !== answeredWith) {
    clearResponse();
  }
});

window.addEventListener('service-reachable', () => {
  if (textOf('response.json').includes(NO_RESPONSE)) {
    clearResponse();
  }
});
