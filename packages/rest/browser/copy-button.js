/**
 * Makes a button copy a text, where pages may write to the clipboard: over HTTPS and on this machine only. Elsewhere it is
 * hidden.
 *
 * @param {HTMLButtonElement} button
 * @param {() => string} text
 */
export function startCopyButton(button, text) {
  const label = button.textContent;
  // Screen readers say Copied.
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
