/*
 * Folds the navigation where it would fill the window before the contract begins: reference.css says where that is.
 */

/**
 * @param {Element | null} button that unfolds what it controls; null on a page without one
 * @returns {() => void} unfolds it
 */
export function startFold(button) {
  const folded = document.getElementById(button?.getAttribute('aria-controls') ?? '');
  /** @param {boolean} expanded */
  const expand = (expanded) => button?.setAttribute('aria-expanded', String(expanded));
  button?.addEventListener('click', () => {
    expand(button.getAttribute('aria-expanded') !== 'true');
  });
  // What a link leads to begins below the navigation.
  folded?.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a[href^="#"]') !== null) {
      expand(false);
    }
  });
  return () => expand(true);
}
