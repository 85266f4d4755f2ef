/* Shows how a request ended: a word, and the icon and color for that kind of outcome. */

/** @type {Readonly<Record<string, string>>} */
const WORDS = {
  success: 'Success',
  replay: 'Replay of the first response',
  failure: 'Failure',
};

/**
 * @param {Response} response
 * @returns {string}
 */
export function kindOf({ ok, status, headers }) {
  if (!ok && status !== 304) {
    return 'failure';
  }
  return headers.get('Idempotent-Replayed') === 'true' ? 'replay' : 'success';
}

/**
 * @param {HTMLElement} element
 * @param {string} text
 * @param {string} [kind] the kind of outcome
 */
export function tellOutcome(element, text, kind = '') {
  element.dataset['kind'] = kind;
  const word = document.createElement('strong');
  word.textContent = WORDS[kind] ?? '';
  element.replaceChildren(...(kind in WORDS ? [word, ' '] : []), text);
}
