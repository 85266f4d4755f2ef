/* Runs in the browser: takes the key out of the link that a service's first start prints on a terminal. */

const FRAGMENT = /^#API_KEY=(\w+)$/;

/**
 * The key in the fragment of the page's address, which it is removed from; null if there is none. No server is sent a fragment.
 */
export function takeKey() {
  const { hash, pathname, search } = location;
  const [, key] = FRAGMENT.exec(hash) ?? [];
  if (key === undefined) {
    return null;
  }
  history.replaceState(history.state, '', pathname + search);
  return key;
}
