/*
 * Runs in the browser: <api-key-field>, in which people enter the API key on every page that sends requests. It checks a key when
 * it is complete, and stores a valid key with its scopes. With an identity provider, people can also sign in here.
 *
 * Pages call `workingKey()` when they start, because this module may have checked a key before their modules are loaded. Then
 * they listen to the window's `api-key` event. They dispatch `api-key-needed` when they have something to send but no valid key.
 */
import { template } from './api-key-template.js';
import { command } from './command.js';
import { find } from './find.js';
import { takeKey } from './handed-over-key.js';
import { faultOf, isComplete, checkKey, keyIn, UNREACHABLE } from './key-check.js';
import { createSignIn } from './sign-in-button.js';
import { checkToken, faultOfToken } from './signed-in.js';
import { forgetKey, storedKey, storedToken, storeKey, storeScopes } from './stored-key.js';

export { storedKey } from './stored-key.js';

/** @typedef {import('./key-check.js').Verdict} Verdict */

/** Returns the current state of the key in the field, as in a Verdict. */
export function keyState() {
  return find('api-key-field', HTMLElement).dataset['state'];
}

/** Returns this tab's key if it is valid, otherwise null. */
export function workingKey() {
  return keyState() === 'works' ? storedKey() : null;
}

class ApiKeyField extends HTMLElement {
  /** The key that was checked last, or is being checked. */
  #checked = '';

  /** @type {ReturnType<typeof createSignIn> | undefined} undefined if there is no identity provider */
  #signIn;

  /** The prefix of all API keys of the service. */
  get #prefix() {
    return this.dataset['prefix'] ?? '';
  }

  connectedCallback() {
    this.innerHTML = template(this.#prefix);
    const input = find('input', HTMLInputElement, this);
    const show = find('[name=show]', HTMLButtonElement, this);
    const paste = find('[name=paste]', HTMLButtonElement, this);
    if ('issuer' in this.dataset) {
      this.#signIn = createSignIn(find('.api-key-actions', HTMLElement, this), {
        check: () => void this.#check(input.value, { again: true }),
        tell: (sentence) => this.#tell({ state: 'unknown', sentence }),
      });
    }

    // A key is checked when it is pasted or complete. Any other text is checked when the field loses focus.
    input.addEventListener('input', (event) => {
      const key = keyIn(input.value, this.#prefix);
      const complete = isComplete(key, this.#prefix);
      if (complete) {
        input.value = key;
      }
      this.#enableActions(input.value);
      const pasted = event instanceof InputEvent && event.inputType === 'insertFromPaste';
      if (pasted || complete) {
        void this.#check(input.value);
      }
    });
    input.addEventListener('change', () => void this.#check(input.value));
    input.addEventListener('keydown', ({ key }) => {
      if (key === 'Enter') {
        void this.#check(input.value, { again: true });
      }
    });
    show.addEventListener('click', () => {
      const shown = input.type === 'password';
      input.type = shown ? 'text' : 'password';
      show.setAttribute('aria-pressed', String(shown));
    });
    // Browsers expose the clipboard only over HTTPS and on localhost.
    paste.hidden = !('clipboard' in navigator);
    paste.addEventListener('click', () => void this.#paste(input));
    // While a key works, narrow windows show only its status (api-key.css).
    find('[name=change]', HTMLButtonElement, this).addEventListener('click', () => {
      this.removeAttribute('data-folded');
      input.focus();
    });
    find('[name=forget]', HTMLButtonElement, this).addEventListener('click', () => {
      input.value = '';
      void this.#check('');
      input.focus();
    });

    const acceptKey = () => {
      const key = takeKey();
      // A link must not replace the key in use.
      if (storedKey() === null && isComplete(key, this.#prefix)) {
        input.value = key;
        void this.#check(key);
      }
    };
    this.#restore(input);
    acceptKey();
    window.addEventListener('hashchange', acceptKey);
    window.addEventListener('api-key-needed', () => this.#demand(input));
    window.addEventListener('service-unreachable', () => {
      if (this.dataset['state'] === 'works') {
        this.#tell({ state: 'unknown', sentence: UNREACHABLE });
      }
    });
    window.addEventListener('service-reachable', () => {
      if (this.dataset['state'] === 'unknown') {
        void this.#check(input.value, { again: true });
      }
    });
    // A page from the back/forward cache may show a key that a different page has replaced since.
    window.addEventListener('pageshow', ({ persisted }) => persisted && this.#restore(input));
  }

  /** @param {HTMLInputElement} input */
  #restore(input) {
    input.value = storedToken() === undefined ? (storedKey() ?? '') : '';
    // Folds the field before the check, because the stored key most likely still works.
    this.toggleAttribute('data-folded', storedKey() !== null);
    void this.#check(input.value, { again: true });
  }

  /**
   * Handles `api-key-needed`: shows why there is no valid key, and moves the focus here.
   *
   * @param {HTMLInputElement} input
   */
  #demand(input) {
    const key = input.value.trim();
    const fault = this.#faultOf(key);
    if (fault !== undefined) {
      this.#tell({ ...fault, state: 'fails' });
    } else if (this.dataset['state'] !== 'fails') {
      // The key may have expired since it was checked.
      void this.#check(input.value, { again: true });
    }
    this.removeAttribute('data-folded');
    (key === '' && this.#signIn ? this.#signIn : input).focus();
    this.scrollIntoView({ block: 'nearest' });
  }

  /** @param {HTMLInputElement} input */
  async #paste(input) {
    try {
      input.value = keyIn(await navigator.clipboard.readText(), this.#prefix);
    } catch {
      this.#tell({
        state: 'unknown',
        sentence: 'The browser does not allow reading the clipboard: paste into the field instead.',
      });
      input.focus();
      return;
    }
    await this.#check(input.value, { again: true });
  }

  /**
   * Checks the key in the field or, if the field is empty, the access token of the sign-in.
   *
   * @param {string} text
   * @param {{ again?: boolean }} [options] whether to repeat the check of an unchanged key
   */
  async #check(text, { again = false } = {}) {
    const typed = text.trim();
    const signedIn = typed === '' ? storedToken() : undefined;
    const key = signedIn?.token ?? typed;
    if (key === this.#checked && !again) {
      return;
    }
    this.#checked = key;
    this.#enableActions(text);
    const verdict =
      this.#faultOf(typed) ?? (await this.#ask(signedIn ? checkToken(signedIn) : checkKey(key)));
    // The field may have changed in the meantime.
    if (key === this.#checked) {
      this.#tell(verdict);
      this.#keep(key, verdict, signedIn);
    }
  }

  /**
   * @param {string} typed
   * @returns {Verdict | undefined}
   */
  #faultOf(typed) {
    const signedIn = typed === '' ? storedToken() : undefined;
    const fault = signedIn ? faultOfToken(signedIn) : faultOf(typed, this.#prefix);
    return fault?.state === 'none' && this.#signIn
      ? { state: 'none', sentence: 'Every operation needs a sign-in or an API key.' }
      : fault;
  }

  /**
   * Enables the buttons that act on the field's text, or disables them if the field is empty.
   *
   * @param {string} text the field's text
   */
  #enableActions(text) {
    for (const name of ['show', 'forget']) {
      find(`[name=${name}]`, HTMLButtonElement, this).disabled = text === '';
    }
  }

  /** @param {Promise<Verdict>} answer */
  #ask(answer) {
    this.#tell({ state: 'checking', sentence: 'Checking the key…' });
    return answer;
  }

  /**
   * @param {string} key
   * @param {Verdict} verdict
   * @param {ReturnType<typeof storedToken>} signedIn
   */
  #keep(key, { state, scopes = null }, signedIn) {
    if (state === 'works') {
      if (signedIn === undefined) {
        forgetKey();
        storeKey(key);
      }
      storeScopes(scopes);
    } else if (state !== 'unknown' || key !== storedKey()) {
      // The stored key must not be used while the field contains a different key.
      forgetKey();
    }
    this.#signIn?.show(storedToken());
    const detail = { key: key === '' ? null : key, works: state === 'works' };
    window.dispatchEvent(new CustomEvent('api-key', { detail }));
  }

  /**
   * Sets whether narrow windows show only the status. If that hides the focused element, the focus moves to the button that shows
   * the field again.
   *
   * @param {boolean} folded
   */
  #fold(folded) {
    const active = document.activeElement;
    this.toggleAttribute('data-folded', folded);
    if (active instanceof HTMLElement && this.contains(active) && !active.checkVisibility()) {
      find('[name=change]', HTMLButtonElement, this).focus();
    }
  }

  /** @param {Verdict} verdict */
  #tell({ state, sentence, command: shown }) {
    this.dataset['state'] = state;
    if (state !== 'checking' && sentence !== UNREACHABLE) {
      this.#fold(state === 'works');
    }
    const parts = shown === undefined ? [] : [' ', command(shown)];
    find('[role=status]', HTMLElement, this).replaceChildren(sentence, ...parts);
    find('input', HTMLElement, this).setAttribute('aria-invalid', String(state === 'fails'));
  }
}

customElements.define('api-key-field', ApiKeyField);
