/* Runs in the browser: shows a request to one API, and its response below. */
import { startCopyButton } from './copy-button.js';
import { find } from './find.js';
import { showJson } from './json-view.js';
import { timedFetch } from './timed-fetch.js';

/**
 * Creates the panel of one API.
 *
 * @param {string} name
 */
export function requestPanel(name) {
  const request = find(`#${name} .request`, HTMLElement);
  const outcome = find(`#${name} .outcome`, HTMLElement);
  const answer = find(`#${name} .answer`, HTMLElement);
  let curl = '';
  startCopyButton(find(`#${name} header .copy`, HTMLButtonElement), () => curl);
  startCopyButton(find(`#${name} .result .copy`, HTMLButtonElement), () => answer.textContent);

  return {
    /**
     * @param {import('./requests.js').ListRequest} asked
     * @param {string} why the reason for not sending it
     */
    show(asked, why) {
      ({ curl } = asked);
      request.textContent = asked.shown;
      outcome.textContent = `Not sent: ${why}`;
      answer.replaceChildren();
    },
    /**
     * @param {import('./requests.js').ListRequest} asked
     * @param {string} key
     * @param {AbortSignal} signal
     * @returns {Promise<string | undefined>} the body, or undefined if there is no response
     */
    async send({ url, init }, key, signal) {
      outcome.textContent = 'Sending…';
      try {
        const headers = { ...init.headers, Authorization: `Bearer ${key}` };
        const answered = await timedFetch(url, { ...init, headers, signal });
        outcome.textContent = answered.outcome;
        showJson(answer, answered.body);
        return answered.body;
      } catch {
        if (!signal.aborted) {
          outcome.textContent = 'No response';
          window.dispatchEvent(new Event('service-unreachable'));
        }
        return undefined;
      }
    },
  };
}
