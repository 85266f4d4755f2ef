/*
 * Sends what a form has, and shows what came back.
 */

import { layOut } from './exact-json.js';
import { highlight } from './highlight.js';

const root = document.querySelector('[data-server]');

/** The key that the page keeps for its tab. */
function storedKey() {
  return sessionStorage.getItem(root?.getAttribute('data-key-item') ?? '');
}

/**
 * @param {HTMLFormElement} form
 * @param {string} serverURL
 */
export function startTryIt(form, serverURL) {
  const panel = form.closest('details');
  if (panel) {
    panel.hidden = false;
  }
  const hint = find(form, '.without-key', HTMLElement);
  const tellWithoutKey = () => {
    hint.hidden = storedKey() !== null;
  };
  tellWithoutKey();
  window.addEventListener(root?.getAttribute('data-key-event') ?? '', tellWithoutKey);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form, serverURL);
  });
}

/**
 * @param {HTMLFormElement} form
 * @param {string} serverURL
 */
async function send(form, serverURL) {
  const outcome = find(form.parentElement, '.outcome', HTMLElement);
  outcome.textContent = 'Sending…';
  // What came back before must not pass for the response to this request.
  find(form.parentElement, '.received', HTMLElement).hidden = true;
  find(form.parentElement, '.body', HTMLElement).hidden = true;
  try {
    const { url, init } = requestOf(form, serverURL);
    const started = performance.now();
    const response = await fetch(url, init);
    const body = await response.text();
    const took = Math.round(performance.now() - started);
    outcome.textContent = `${response.status} ${response.statusText} · ${took} ms · ${init.method} ${url}`;
    show(form, response.headers, body);
  } catch (error) {
    outcome.textContent = `Not sent, or not answered: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {string} serverURL
 */
function requestOf(form, serverURL) {
  const { method = '', path = '' } = form.dataset;
  const key = storedKey();
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
  // What the server says, not what the browser remembers.
  return { url, init: { method, headers, body, cache: /** @type {const} */ ('no-store') } };
}

/**
 * @param {HTMLFormElement} form
 * @param {Headers} headers
 * @param {string} body
 */
function show(form, headers, body) {
  const received = find(form.parentElement, '.received', HTMLElement);
  received.hidden = false;
  find(received, 'code', HTMLElement).textContent = Array.from(
    headers,
    ([name, value]) => `${name}: ${value}`,
  ).join('\n');
  const shown = find(form.parentElement, '.body', HTMLElement);
  shown.hidden = body === '';
  const code = find(shown, 'code', HTMLElement);
  code.textContent = layOut(body);
  highlight(code);
}

/**
 * @template {HTMLElement} E
 * @param {Element | null} within
 * @param {string} selector
 * @param {new () => E} kind
 * @returns {E}
 */
function find(within, selector, kind) {
  const found = within?.querySelector(selector);
  if (!(found instanceof kind)) {
    throw new TypeError(`No ${selector} in the form's panel`);
  }
  return found;
}
