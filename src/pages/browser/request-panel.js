/* Runs in the browser: a request of one surface, and below it what that surface answers. */
import { startCopyButton } from './copy-button.js';
import { find } from './find.js';
import { showJson } from './json-view.js';
import { timedFetch } from './timed-fetch.js';

/**
 * A request of a surface beside its answer.
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
     * @param {string} why it is not sent
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
