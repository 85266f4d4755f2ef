/* Folds the navigation in narrow windows, where it would push the contract off the screen; see reference.css for the width. */

/**
 * @param {Element | null} button the button that unfolds the navigation; null on a page that has none
 * @returns {() => void} a function that unfolds it
 */
export function startFold(button) {
  const folded = document.getElementById(button?.getAttribute('aria-controls') ?? '');
  /** @param {boolean} expanded */
  const expand = (expanded) => button?.setAttribute('aria-expanded', String(expanded));
  button?.addEventListener('click', () => {
    expand(button.getAttribute('aria-expanded') !== 'true');
  });
  // Otherwise, the navigation would cover the target of the link.
  folded?.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a[href^="#"]') !== null) {
      expand(false);
    }
  });
  return () => expand(true);
}
