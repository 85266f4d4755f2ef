/* Downloads an OpenAPI document with an absolute server URL, for tools that don't know the document's URL. */
import { keepDigits } from './json-view.js';

/** @param {HTMLAnchorElement} link the link to the document; without this script, the document is downloaded unchanged */
export function startDownload(link) {
  link.addEventListener('click', (event) => {
    event.preventDefault();
    void download(link);
  });
}

/** @param {HTMLAnchorElement} link */
async function download({ href, download: name }) {
  const response = await fetch(href).catch(() => undefined);
  if (response === undefined) {
    window.dispatchEvent(new Event('service-unreachable'));
    return;
  }
  const text = withAbsoluteServers(await response.text(), response.url);
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

/**
 * @param {string} text
 * @param {string} base
 */
function withAbsoluteServers(text, base) {
  /** @type {typeof keepDigits} */
  const revive = (key, value, context) =>
    key === 'servers' && Array.isArray(value)
      ? value.map((server) => absolute(server, base))
      : keepDigits(key, value, context);
  return JSON.stringify(JSON.parse(text, revive), null, 2);
}

/**
 * @param {unknown} server
 * @param {string} base
 */
function absolute(server, base) {
  return typeof server === 'object' && server !== null && 'url' in server
    ? { ...server, url: new URL(String(server.url), base).href }
    : server;
}
