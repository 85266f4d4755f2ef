/* Runs in the browser: shows the status, duration and headers of a response above it. */
import { openTab } from './open-tab.js';

/** @typedef {{ readonly response: Response, readonly took: number }} Received a response, and its duration in milliseconds */

/**
 * The last response of each tab, by the tab's id, because GraphiQL shows it again when the tab is opened.
 *
 * @type {Map<string, Received>}
 */
const received = new Map();

const responseBar = document.createElement('details');
responseBar.className = 'response-bar';
responseBar.hidden = true;
responseBar.innerHTML = `
  <summary><span class="response-status"></span> · <span class="response-time"></span> · Headers</summary>
  <pre role="region" aria-label="Response headers" tabindex="0"></pre>`;

/** @param {Received | undefined} shown the open tab's response, if it has one */
export function showResponse(shown) {
  if (shown === undefined) {
    received.delete(openTab.id);
  } else {
    received.set(openTab.id, shown);
  }
  showResponseOfTab();
}

/**
 * Stores the first tab's response under the tab's id, because GraphiQL reports that id late.
 *
 * @param {string} id the first tab's id
 */
export function nameFirstTab(id) {
  const shown = received.get('');
  if (shown !== undefined) {
    received.delete('');
    received.set(id, shown);
  }
}

/** Shows the last response of the open tab. */
export function showResponseOfTab() {
  const shown = received.get(openTab.id);
  responseBar.hidden = shown === undefined;
  if (shown !== undefined) {
    const { response, took } = shown;
    // HTTP/2 has no reason phrases.
    setPart('.response-status', `${response.status} ${response.statusText}`.trim());
    setPart('.response-time', `${Math.round(took)} ms`);
    setPart('pre', Array.from(response.headers, ([name, value]) => `${name}: ${value}`).join('\n'));
    responseBar.dataset['ok'] = String(response.ok);
  }
}

/**
 * @param {string} selector
 * @param {string} text
 */
function setPart(selector, text) {
  responseBar.querySelector(selector)?.replaceChildren(text);
}

/** @param {Element} place the element that shows responses */
export function placeResponseBar(place) {
  place.prepend(responseBar);
}

/** Scrolls to the response. On a phone it is below the query, out of view. */
export function scrollToResponse() {
  responseBar.parentElement?.scrollIntoView({ block: 'nearest' });
}
