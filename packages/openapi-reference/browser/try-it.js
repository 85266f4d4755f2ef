/*
 * Sends what a form has, and shows what came back.
 */

import { find } from './find.js';
import { showJson } from './json-view.js';
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
  /** Ends the request of before. */
  let current = new AbortController();
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    current.abort();
    current = new AbortController();
    void send(panel, () => requestOf(form, serverURL, storedKey()), current.signal);
  });
}

/**
 * @param {Element} panel
 * @param {() => { readonly url: string, readonly init: RequestInit }} makeRequest
 * @param {AbortSignal} signal
 */
async function send(panel, makeRequest, signal) {
  const told = find('.outcome', HTMLElement, panel);
  const received = find('.received', HTMLElement, panel);
  const shown = find('.body', HTMLElement, panel);
  told.textContent = 'Sending…';
  // An earlier response must not pass for the response to this request.
  received.hidden = true;
  shown.hidden = true;
  try {
    const { url, init } = makeRequest();
    const { response, body, outcome } = await timedFetch(url, { ...init, signal });
    told.textContent = `${outcome} · ${init.method} ${url}`;
    received.hidden = false;
    find('code', HTMLElement, received).textContent = Array.from(
      response.headers,
      ([name, value]) => `${name}: ${value}`,
    ).join('\n');
    shown.hidden = body === '';
    showJson(find('code', HTMLElement, shown), body);
  } catch (error) {
    if (!signal.aborted) {
      told.textContent = `Not sent, or no response: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {string} serverURL
 * @param {string | null} key
 */
function requestOf(form, serverURL, key) {
  const { method = '', path = '' } = form.dataset;
  const headers = new Headers(key === null ? {} : { Authorization: `Bearer ${key}` });
  const query = new URLSearchParams();
  let filled = path;
  /** @type {string | null} */
  let body = null;
  for (const field of form.elements) {
    const place = field.getAttribute('data-place');
    const name = field.getAttribute('name') ?? '';
    const value = 'value' in field ? String(field.value) : '';
    if (place === 'path') {
      filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    } else if (place === 'body') {
      // As it was typed: through JSON.parse, large integers would lose their digits.
      body = value;
      headers.set('Content-Type', name);
    } else if (value !== '' && place === 'query') {
      query.append(name, value);
    } else if (value !== '' && place === 'header') {
      headers.set(name, value);
    }
  }
  const url = serverURL + filled + (query.size > 0 ? `?${query.toString()}` : '');
  // The server's response, not one from the browser's cache.
  return { url, init: { method, headers, body, cache: /** @type {const} */ ('no-store') } };
}
