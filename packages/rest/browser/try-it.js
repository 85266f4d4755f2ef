/* Sends the request in a form, and shows the response. */

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
 *   readonly scopesItem: string,
 *   readonly keyEvent: string,
 * }} Page the server's URL, the storage items for the tab's key and that key's scopes, and the event that signals a change to them
 *
 * @typedef {{ readonly url: string, readonly init: RequestInit & { readonly headers: Headers } }} Sent
 */

/**
 * @param {Element} panel
 * @param {Page} page
 */
export function startTryIt(panel, { serverURL, keyItem, scopesItem, keyEvent }) {
  panel.removeAttribute('hidden');
  const form = find('form', HTMLFormElement, panel);
  const storedKey = () => sessionStorage.getItem(keyItem);
  const hint = find('.without-key', HTMLElement, form);
  const scopesHint = find('.without-scopes', HTMLElement, form);
  const tellAccess = () => {
    const hasKey = storedKey() !== null;
    hint.hidden = hasKey;
    const lacking = hasKey ? missingScopesOf(form, sessionStorage.getItem(scopesItem)) : [];
    scopesHint.hidden = lacking.length === 0;
    scopesHint.textContent = `Without the scope${lacking.length === 1 ? '' : 's'} ${lacking.join(' and ')}, the response is 403.`;
  };
  tellAccess();
  window.addEventListener(keyEvent, tellAccess);
  const outcome = find('.outcome', HTMLElement, panel);
  const refreshKey = startIdempotencyKey(form);
  /** Aborts the previous request. */
  let current = new AbortController();
  /** @type {Sent | undefined} the request that got no response, to be sent again */
  let unanswered;

  /** @param {Sent} request */
  const send = async (request) => {
    const { signal } = current;
    try {
      const response = await show(panel, request, signal);
      if (response.ok) {
        refreshKey();
      }
    } catch {
      if (!signal.aborted) {
        unanswered = isRepeatable(request) ? request : undefined;
        const next = unanswered
          ? 'The request will be sent again when it does.'
          : 'Whether the request took effect is unknown.';
        tellOutcome(outcome, `The service does not respond. ${next}`, 'unreachable');
        window.dispatchEvent(new Event('service-unreachable'));
      }
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    current.abort();
    current = new AbortController();
    unanswered = undefined;
    clear(panel);
    try {
      void send(requestOf(form, serverURL, storedKey()));
    } catch (error) {
      tellOutcome(outcome, `Not sent: ${error instanceof Error ? error.message : String(error)}`);
    }
  });
  window.addEventListener('service-reachable', () => {
    if (unanswered) {
      void send(unanswered);
      unanswered = undefined;
    }
  });
}

/**
 * Returns the scopes that an operation needs and a key lacks.
 *
 * @param {HTMLFormElement} form
 * @param {string | null} granted the key's scopes, separated by spaces; null means all scopes
 */
function missingScopesOf({ dataset: { scopes = '' } }, granted) {
  const has = granted?.split(' ');
  return scopes.split(' ').filter((scope) => scope !== '' && has?.includes(scope) === false);
}

/**
 * Sends a request and shows its response.
 *
 * @param {Element} panel
 * @param {Sent} request
 * @param {AbortSignal} signal
 */
async function show(panel, { url, init }, signal) {
  const { response, body, outcome } = await timedFetch(url, { ...init, signal });
  const text = `${outcome} · ${init.method} ${url}`;
  tellOutcome(find('.outcome', HTMLElement, panel), text, kindOf(response));
  const received = find('.received', HTMLElement, panel);
  received.hidden = false;
  find('code', HTMLElement, received).textContent = Array.from(
    response.headers,
    ([name, value]) => `${name}: ${value}`,
  ).join('\n');
  const shown = find('.body', HTMLElement, panel);
  shown.hidden = body === '';
  showJson(find('code', HTMLElement, shown), body);
  return response;
}

/**
 * Removes the previous response, which must not be mistaken for the response to the next request.
 *
 * @param {Element} panel
 */
function clear(panel) {
  tellOutcome(find('.outcome', HTMLElement, panel), 'Sending…');
  find('.received', HTMLElement, panel).hidden = true;
  find('.body', HTMLElement, panel).hidden = true;
}

/**
 * Whether a request that got no response can be retried safely.
 *
 * @param {Sent} request
 */
function isRepeatable({ init: { method, headers } }) {
  return method === 'GET' || headers.has('Idempotency-Key');
}

/**
 * @param {HTMLFormElement} form
 * @param {string} serverURL
 * @param {string | null} key
 * @returns {Sent}
 */
function requestOf(form, serverURL, key) {
  const { method, target, headers, body } = readForm(form);
  const all = new Headers(Object.fromEntries(headers));
  if (key !== null) {
    all.set('Authorization', `Bearer ${key}`);
  }
  // Bypasses the browser's cache.
  return { url: serverURL + target, init: { method, headers: all, body, cache: 'no-store' } };
}
