/*
 * Runs in the browser: <api-key-field>, the one place for the key, the same on every page. It checks a key as soon as it is
 * complete, and keeps one that works in the session storage of the tab, which no other tab sees and no URL shows.
 *
 * Pages read `storedKey()` when they start, and then listen to the event `api-key` of the window.
 */

const STORED = 'animal-store-gateway:api-key';
const LENGTH = 53;
const FORM = /^asg_[0-9A-Za-z]{49}$/;

/** The service as the browser sees it, below a proxy's prefix too: this script is one folder below. */
const SERVICE = new URL('..', import.meta.url);

const MISSING =
  'Every operation needs an API key. Make one with: npm run --silent keys -- create NAME';

const TEMPLATE = `
  <label for="api-key">API key</label>
  <div class="api-key-row">
    <input id="api-key" type="password" autocomplete="off" autocapitalize="off" spellcheck="false"
      placeholder="asg_…" aria-describedby="api-key-status" data-1p-ignore data-lpignore="true">
    <button type="button" name="paste">Paste</button>
    <button type="button" name="show" aria-pressed="false">Show</button>
    <button type="button" name="forget">Forget</button>
  </div>
  <p id="api-key-status" role="status"></p>`;

/**
 * What is known of a key. `none` is no key at all; `unknown` one that could not be checked.
 *
 * @typedef {'none' | 'checking' | 'works' | 'fails' | 'unknown'} State
 */

/** The key of this tab, or null. */
export function storedKey() {
  return sessionStorage.getItem(STORED);
}

class ApiKeyField extends HTMLElement {
  /** The key that was checked last, or is being checked. */
  #checked = '';

  connectedCallback() {
    this.innerHTML = TEMPLATE;
    const input = this.#find('input', HTMLInputElement);
    const show = this.#find('[name=show]', HTMLButtonElement);
    const paste = this.#find('[name=paste]', HTMLButtonElement);

    // A key is checked as soon as it is pasted, or complete; anything else when the field is left.
    input.addEventListener('input', (event) => {
      const pasted = event instanceof InputEvent && event.inputType === 'insertFromPaste';
      if (pasted || FORM.test(input.value.trim())) {
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
    // Pages may read the clipboard over HTTPS and on this machine only.
    paste.hidden = !('clipboard' in navigator);
    paste.addEventListener('click', () => void this.#paste(input));
    this.#find('[name=forget]', HTMLButtonElement).addEventListener('click', () => {
      input.value = '';
      void this.#check('');
      input.focus();
    });

    this.#restore(input);
    // A page that the browser kept may show the key from before another page changed it.
    window.addEventListener('pageshow', ({ persisted }) => persisted && this.#restore(input));
  }

  /** @param {HTMLInputElement} input */
  #restore(input) {
    input.value = storedKey() ?? '';
    void this.#check(input.value, { again: true });
  }

  /** @param {HTMLInputElement} input */
  async #paste(input) {
    try {
      input.value = await navigator.clipboard.readText();
    } catch {
      this.#tell(
        'unknown',
        'The browser keeps the clipboard closed: paste into the field instead.',
      );
      input.focus();
      return;
    }
    await this.#check(input.value, { again: true });
  }

  /**
   * @param {string} text what is in the field
   * @param {{ again?: boolean }} [options] whether also if it was checked before
   */
  async #check(text, { again = false } = {}) {
    const key = text.trim();
    if (key === this.#checked && !again) {
      return;
    }
    this.#checked = key;
    const [state, sentence] = faultOf(key) ?? (await this.#ask(key));
    // Another key may have come meanwhile.
    if (key === this.#checked) {
      this.#tell(state, sentence);
      this.#keep(key, state);
    }
  }

  /** @param {string} key */
  #ask(key) {
    this.#tell('checking', 'Checking the key…');
    return ask(key);
  }

  /**
   * @param {string} key
   * @param {State} state
   */
  #keep(key, state) {
    if (state === 'works') {
      sessionStorage.setItem(STORED, key);
    } else if (state !== 'unknown') {
      sessionStorage.removeItem(STORED);
    }
    const detail = { key: key === '' ? null : key, works: state === 'works' };
    window.dispatchEvent(new CustomEvent('api-key', { detail }));
  }

  /**
   * @param {State} state
   * @param {string} sentence
   */
  #tell(state, sentence) {
    this.dataset['state'] = state;
    this.#find('[role=status]', HTMLElement).textContent = sentence;
    this.#find('input', HTMLElement).setAttribute('aria-invalid', String(state === 'fails'));
  }

  /**
   * @template {HTMLElement} E
   * @param {string} selector
   * @param {new () => E} kind
   * @returns {E}
   */
  #find(selector, kind) {
    const found = this.querySelector(selector);
    if (!(found instanceof kind)) {
      throw new TypeError(`No ${selector} in <api-key-field>`);
    }
    return found;
  }
}

/**
 * What can be said of a key without the service.
 *
 * @param {string} key
 * @returns {[State, string] | undefined}
 */
function faultOf(key) {
  if (key === '') {
    return ['none', MISSING];
  }
  if (/^(?:authorization:\s*)?bearer\b/i.test(key)) {
    return ['fails', 'Paste the key alone, without Bearer.'];
  }
  if (!FORM.test(key)) {
    return [
      'fails',
      `An API key begins with asg_ and has ${LENGTH} characters; this has ${key.length}.`,
    ];
  }
  return undefined;
}

/**
 * What the service says of a key, asked for as little as there is.
 *
 * @param {string} key
 * @returns {Promise<[State, string]>}
 */
async function ask(key) {
  try {
    const response = await fetch(new URL('v1/pets?limit=1', SERVICE), {
      headers: { Accept: 'application/json', Authorization: `Bearer ${key}` },
    });
    if (response.ok) {
      return ['works', 'This key works.'];
    }
    /** @type {unknown} */
    const body = await response.json();
    const message =
      typeof body === 'object' && body !== null && 'message' in body
        ? String(body.message)
        : `The service answered ${response.status}`;
    return response.status === 401
      ? ['fails', `${message}.`]
      : ['unknown', `The key could not be checked. ${message}.`];
  } catch {
    return ['unknown', 'The key could not be checked: the service does not answer.'];
  }
}

customElements.define('api-key-field', ApiKeyField);
