/* Runs in the browser: a request of one surface, and below it what that surface answers. */
import { find } from './find.js';
import { jsonView } from './json-view.js';

/**
 * A request of a surface beside its answer.
 *
 * @param {string} name
 */
export function requestPanel(name) {
  const request = find(`#${name} .request`, HTMLElement);
  const outcome = find(`#${name} .outcome`, HTMLElement);
  const body = find(`#${name} .answer`, HTMLElement);
  const copy = find(`#${name} button`, HTMLButtonElement);
  let curl = '';
  // Pages may use the clipboard over HTTPS and on this machine only.
  copy.hidden = !('clipboard' in navigator);
  copy.addEventListener('click', () => {
    void navigator.clipboard.writeText(curl).then(() => {
      copy.textContent = 'Copied';
      return undefined;
    });
  });
  copy.addEventListener('blur', () => {
    copy.textContent = 'Copy curl';
  });

  return {
    /** @param {import('./requests.js').ListRequest} asked */
    ask(asked) {
      ({ curl } = asked);
      request.textContent = asked.shown;
      outcome.textContent = 'Not answered yet';
      body.replaceChildren();
    },
    /**
     * @param {import('./requests.js').ListRequest} asked
     * @param {string} key
     * @param {AbortSignal} signal
     * @returns {Promise<string | undefined>} the body
     */
    async answer({ url, init }, key, signal) {
      const began = performance.now();
      try {
        const response = await fetch(url, {
          ...init,
          headers: { ...init.headers, Authorization: `Bearer ${key}` },
          signal,
        });
        const text = await response.text();
        const took = Math.round(performance.now() - began);
        outcome.textContent = `${response.status} ${response.statusText} · ${took} ms`;
        body.replaceChildren(jsonView(text));
        return text;
      } catch {
        if (!signal.aborted) {
          outcome.textContent = 'No answer';
        }
        return undefined;
      }
    },
  };
}
