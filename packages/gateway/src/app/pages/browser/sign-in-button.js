/* Runs in the browser: the button to sign in at the identity provider, and to sign out. */
import { forgetKey, storedToken } from './stored-key.js';

/** The longest delay that a timer supports, about 25 days. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * Adds the button before the other actions.
 *
 * @param {HTMLElement} actions
 * @param {{ readonly check: () => void, readonly tell: (sentence: string) => void }} field whose token the button changes
 */
export function createSignIn(actions, { check, tell }) {
  const button = document.createElement('button');
  button.type = 'button';
  button.name = 'sign-in';
  actions.prepend(button);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let expiring;

  async function signIn() {
    tell('Opening the page of the identity provider…');
    const flow = await import('./authorization.js').catch(() => undefined);
    if (flow === undefined) {
      window.dispatchEvent(new Event('service-unreachable'));
      return;
    }
    try {
      await flow.beginSignIn();
    } catch (error) {
      tell(flow.sentenceOf(error));
    }
  }

  button.addEventListener('click', () => {
    if (storedToken() === undefined) {
      void signIn();
    } else {
      forgetKey();
      check();
    }
  });

  return {
    focus() {
      button.focus();
    },
    /** @param {ReturnType<typeof storedToken>} signedIn this tab's token, which is checked again when it expires */
    show(signedIn) {
      button.textContent = signedIn === undefined ? 'Sign in' : 'Sign out';
      clearTimeout(expiring);
      if (signedIn !== undefined && Number.isFinite(signedIn.expiry)) {
        expiring = setTimeout(check, Math.min(signedIn.expiry - Date.now(), MAX_DELAY_MS));
      }
    },
  };
}
