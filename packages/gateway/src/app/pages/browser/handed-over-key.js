/* Runs in the browser: takes the key out of the link that a service's first start prints on a terminal. */

const FRAGMENT = /^#API_KEY=(\w+)$/;

/** The key in the fragment of the page's address, which it is removed from, or an empty string. No server is sent a fragment. */
export function takeKey() {
  const { hash, pathname, search } = location;
  const [, key = ''] = FRAGMENT.exec(hash) ?? [];
  if (key === '') {
    return key;
  }
  history.replaceState(history.state, '', pathname + search);
  return key;
}
