/* Runs in the browser: status, time and headers of a response, above it. */
import { openTab } from './open-tab.js';

/** @typedef {{ readonly response: Response, readonly took: number }} Received with the milliseconds that it took */

/**
 * The last response of each tab, by the tab's id: GraphiQL shows it again with the tab.
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

/** @param {Received | undefined} shown of the open tab, if it has any */
export function showResponse(shown) {
  if (shown === undefined) {
    received.delete(openTab.id);
  } else {
    received.set(openTab.id, shown);
  }
  showResponseOfTab();
}

/**
 * Keeps what came before GraphiQL told which tab is open.
 *
 * @param {string} id of that tab
 */
export function nameFirstTab(id) {
  const shown = received.get('');
  if (shown !== undefined) {
    received.delete('');
    received.set(id, shown);
  }
}

/** Shows what belongs to the open tab. */
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

/** @param {Element} place that shows responses */
export function placeResponseBar(place) {
  place.prepend(responseBar);
}

/** On a phone it is below the query, out of sight. */
export function scrollToResponse() {
  responseBar.parentElement?.scrollIntoView({ block: 'nearest' });
}
