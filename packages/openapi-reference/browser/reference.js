/*
 * Runs in the browser: what the page can do beyond being read. It is all there without this script, except the forms.
 */

import { showBaseURL } from './base-url.js';
import { highlight } from './highlight.js';
import { startTryIt } from './try-it.js';

const root = document.querySelector('[data-server]');
const serverURL = new URL(root?.getAttribute('data-server') ?? '', document.baseURI).href;

showBaseURL(serverURL);

for (const code of document.querySelectorAll('pre code')) {
  highlight(code);
}

for (const form of document.querySelectorAll('.try-it form')) {
  if (form instanceof HTMLFormElement) {
    startTryIt(form, serverURL);
  }
}

/** A language that is chosen for one operation is chosen for all. */
document.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLInputElement && target.closest('.samples')) {
    for (const radio of document.querySelectorAll('.samples input')) {
      if (radio instanceof HTMLInputElement) {
        radio.checked = radio.value === target.value;
      }
    }
  }
});

for (const button of document.querySelectorAll('.copy')) {
  if (button instanceof HTMLButtonElement && 'clipboard' in navigator) {
    button.hidden = false;
    button.addEventListener('click', () => void copySample(button));
  }
}

/** @param {HTMLButtonElement} button */
async function copySample(button) {
  const samples = button.closest('.samples');
  const language = samples?.querySelector('input:checked')?.getAttribute('value') ?? '';
  await navigator.clipboard.writeText(
    samples?.querySelector(`[data-language="${language}"]`)?.textContent ?? '',
  );
  button.textContent = 'Copied';
  button.addEventListener('blur', () => (button.textContent = 'Copy'), { once: true });
}
