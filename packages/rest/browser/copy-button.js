/**
 * Makes a button copy a text. Browsers expose the clipboard only over HTTPS and on localhost; elsewhere, the button is hidden.
 *
 * @param {HTMLButtonElement} button
 * @param {() => string} text
 */
export function startCopyButton(button, text) {
  const label = button.textContent;
  // Screen readers then announce "Copied".
  button.ariaLive = 'polite';
  button.hidden = !('clipboard' in navigator);
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(text()).then(
      () => (button.textContent = 'Copied'),
      () => (button.textContent = 'Not copied'),
    );
  });
  button.addEventListener('blur', () => (button.textContent = label));
}
