/* Runs in the browser: takes the key out of the link that a service's first start prints on a terminal. */

const FRAGMENT = /^#API_KEY=(\w+)$/;

/**
 * Removes the key from the fragment of the page's address and returns it, or an empty string if there is none. Browsers never
 * send fragments to servers.
 */
export function takeKey() {
  const { hash, pathname, search } = location;
  const [, key = ''] = FRAGMENT.exec(hash) ?? [];
  if (key === '') {
    return key;
  }
  history.replaceState(history.state, '', pathname + search);
  return key;
}
