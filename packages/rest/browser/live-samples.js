/* Updates code samples to show the request that the form next to them would send. */
import { find } from './find.js';
import { readForm } from './form.js';
import { highlight } from './highlight.js';
import { LANGUAGES } from './samples.js';

/**
 * @param {HTMLElement} samples
 * @param {HTMLFormElement} form
 * @param {string} serverURL the server URL in samples if the document has no absolute one
 */
export function startLiveSamples(samples, form, serverURL) {
  const text = (samples.dataset['example'] ?? '').replaceAll('BASE_URL', serverURL);
  /** @type {import('./sample.js').Example} */
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- the server wrote it next to the samples
  const initial = JSON.parse(text);
  const update = () => {
    const example = exampleOf(form, initial);
    for (const [language, write] of LANGUAGES) {
      const code = find(`[data-language="${language}"] code`, HTMLElement, samples);
      code.textContent = write(example);
      highlight(code);
    }
  };
  form.addEventListener('input', update);
  update();
}

/**
 * @param {HTMLFormElement} form
 * @param {import('./sample.js').Example} initial
 * @returns {import('./sample.js').Example}
 */
function exampleOf(form, initial) {
  const { method, target, headers, body } = readForm(form);
  const field = form.querySelector('[data-place="body"]');
  // A body that the user has changed refers to existing resources.
  const isOwn = field instanceof HTMLTextAreaElement && field.value !== field.defaultValue;
  return {
    server: initial.server,
    preparations: isOwn ? [] : initial.preparations,
    request: {
      method,
      url: initial.server + target,
      headers,
      body: isOwn && body !== null ? [inlineYaml(body)] : initial.request.body,
      hasResult: initial.request.hasResult,
    },
  };
}

/**
 * Returns JSON on one line, with all digits of its numbers. Any other text is returned unchanged.
 *
 * @param {string} text
 */
function inlineYaml(text) {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  // Strings in JSON contain no line breaks.
  return text.trim().replaceAll(/\s*\n\s*/g, ' ');
}
