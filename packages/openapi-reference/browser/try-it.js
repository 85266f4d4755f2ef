/*
 * Sends what a form has, and shows what came back.
 */

import { find } from './find.js';
import { readForm } from './form.js';
import { startIdempotencyKey } from './idempotency-key.js';
import { showJson } from './json-view.js';
import { kindOf, tellOutcome } from './outcome.js';
import { timedFetch } from './timed-fetch.js';

/**
 * @typedef {{
 *   readonly serverURL: string,
 *   readonly keyItem: string,
 *   readonly keyEvent: string,
 * }} Page the server, and where the page keeps the key of its tab
 */

/**
 * @param {Element} panel
 * @param {Page} page
 */
export function startTryIt(panel, { serverURL, keyItem, keyEvent }) {
  panel.removeAttribute('hidden');
  const form = find('form', HTMLFormElement, panel);
  const storedKey = () => sessionStorage.getItem(keyItem);
  const hint = find('.without-key', HTMLElement, form);
  const tellWithoutKey = () => {
    hint.hidden = storedKey() !== null;
  };
  tellWithoutKey();
  window.addEventListener(keyEvent, tellWithoutKey);
  const outcome = find('.outcome', HTMLElement, panel);
  window.addEventListener('service-reachable', () => {
    if (outcome.dataset['kind'] === 'unreachable') {
      tellOutcome(outcome, 'The service is back: send again.');
    }
  });
  const idempotencyKey = startIdempotencyKey(form);
  /** Ends the request of before. */
  let current = new AbortController();
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    current.abort();
    current = new AbortController();
    const request = () => requestOf(form, serverURL, storedKey());
    void send(panel, request, current.signal).then((ok) => ok && idempotencyKey.refresh());
  });
}

/**
 * @param {Element} panel
 * @param {() => { readonly url: string, readonly init: RequestInit }} makeRequest
 * @param {AbortSignal} signal
 * @returns {Promise<boolean>} whether it succeeded
 */
async function send(panel, makeRequest, signal) {
  const outcome = find('.outcome', HTMLElement, panel);
  const received = find('.received', HTMLElement, panel);
  const shown = find('.body', HTMLElement, panel);
  tellOutcome(outcome, 'Sending…');
  // An earlier response must not pass for the response to this request.
  received.hidden = true;
  shown.hidden = true;
  let request;
  try {
    request = makeRequest();
  } catch (error) {
    tellOutcome(outcome, `Not sent: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
  const { url, init } = request;
  let answer;
  try {
    answer = await timedFetch(url, { ...init, signal });
  } catch {
    if (!signal.aborted) {
      tellOutcome(outcome, 'The service does not respond.', 'unreachable');
      window.dispatchEvent(new Event('service-unreachable'));
    }
    return false;
  }
  const { response, body, outcome: told } = answer;
  tellOutcome(outcome, `${told} · ${init.method} ${url}`, kindOf(response));
  received.hidden = false;
  find('code', HTMLElement, received).textContent = Array.from(
    response.headers,
    ([name, value]) => `${name}: ${value}`,
  ).join('\n');
  shown.hidden = body === '';
  showJson(find('code', HTMLElement, shown), body);
  return response.ok;
}

/**
 * @param {HTMLFormElement} form
 * @param {string} serverURL
 * @param {string | null} key
 */
function requestOf(form, serverURL, key) {
  const { method, target, headers, body } = readForm(form);
  const all = new Headers(Object.fromEntries(headers));
  if (key !== null) {
    all.set('Authorization', `Bearer ${key}`);
  }
  // The server's response, not one from the browser's cache.
  const cache = /** @type {const} */ ('no-store');
  return { url: serverURL + target, init: { method, headers: all, body, cache } };
}
