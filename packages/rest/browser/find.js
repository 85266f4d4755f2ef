/**
 * Returns an element that a script can't work without.
 *
 * @template {HTMLElement} E
 * @param {string} selector
 * @param {new () => E} kind
 * @param {ParentNode} [root]
 * @returns {E}
 */
export function find(selector, kind, root = document) {
  const found = root.querySelector(selector);
  if (!(found instanceof kind)) {
    throw new TypeError(`No ${selector} on the page`);
  }
  return found;
}
