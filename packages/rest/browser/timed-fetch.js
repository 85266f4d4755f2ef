/**
 * Sends a request and receives the whole response.
 *
 * @param {string | URL} url
 * @param {RequestInit} init
 * @returns {Promise<{ response: Response, body: string, outcome: string }>} with a summary of the outcome: `200 OK · 12 ms`
 */
export async function timedFetch(url, init) {
  const started = performance.now();
  const response = await fetch(url, init);
  const body = await response.text();
  const took = Math.round(performance.now() - started);
  // HTTP/2 has no reason phrases.
  const status = `${response.status} ${response.statusText}`.trim();
  return { response, body, outcome: `${status} · ${took} ms` };
}
