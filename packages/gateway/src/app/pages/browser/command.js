/* Runs in the browser: a command within a sentence, with a button that copies it. */
import { startCopyButton } from './copy-button.js';

/**
 * @param {string} text
 * @returns {HTMLElement}
 */
export function command(text) {
  const code = document.createElement('code');
  code.textContent = text;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  startCopyButton(button, () => text);
  const element = document.createElement('span');
  element.className = 'command';
  // The space separates the command from the button's text when the whole sentence is copied.
  element.append(code, ' ', button);
  return element;
}
