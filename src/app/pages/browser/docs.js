/*
 * Runs in the browser: starts Swagger UI, and fixes ids, keys and accessibility.
 */

const root = document.querySelector('main') ?? document.body;

/** Keeps the key for this tab, until it is closed. */
const KEPT = 'animal-store-gateway:authorized';

/** @type {(key: string, value: unknown, context?: { source?: string }) => unknown} */
const keepDigits = (_key, value, { source = '' } = {}) =>
  typeof value === 'number' ? JSON.rawJSON(source) : value;

/**
 * Indented, with the digits of every number as they were sent.
 *
 * @param {string} json
 */
function layOut(json) {
  // Browsers that round numbers show the text as it was sent.
  if (!('rawJSON' in JSON)) {
    return json;
  }
  try {
    return JSON.stringify(JSON.parse(json, keepDigits), null, 2);
  } catch {
    return json;
  }
}

/**
 * Swagger UI would round 64-bit integers to doubles.
 *
 * @type {SwaggerPlugin}
 */
const exactIntegers = () => ({
  wrapComponents: {
    responseBody: (Original, { React, getComponent }) =>
      function ResponseBody(properties) {
        const { content, contentType } = properties;
        return typeof content === 'string' && /json/.test(String(contentType))
          ? React.createElement(
              'div',
              null,
              React.createElement('h5', null, 'Response body'),
              React.createElement(
                getComponent('HighlightCode', true),
                { language: 'json', downloadable: true, fileName: 'response.json', canCopy: true },
                layOut(content),
              ),
            )
          : React.createElement(Original, properties);
      },
  },
});

/**
 * Swagger UI would keep the key in the browser for ever.
 *
 * @type {SwaggerPlugin}
 */
const keyOfTab = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        persistAuthorizationIfNeeded:
          (_original, { authSelectors }) =>
          () => {
            sessionStorage.setItem(KEPT, JSON.stringify(authSelectors.authorized()));
          },
      },
    },
  },
});

/**
 * Swagger UI would put a link into the button of an operation, where screen readers don.t find it.
 *
 * @type {SwaggerPlugin}
 */
const plainSummaries = () => ({
  wrapComponents: {
    DeepLink:
      (_Original, { React }) =>
      ({ text }) =>
        React.createElement('span', null, text),
  },
});

/** What Swagger UI leaves without a name, or names otherwise than it reads. */
const NAMES = {
  '#servers': 'Server',
  '.examples-select-element': 'Example',
  '.content-type': 'Media type',
  '.body-param__text': 'Request body',
  '.close-modal': 'Close',
  '.modal-btn.authorize[type=submit]': 'Authorize',
  '.parameters-col_description :is(input, select)': 'Value',
};

/** @type {Element | null} */
let openDialog = null;

/** Swagger UI would leave the focus on the button, before the dialog in the order of tabs. */
function followDialog() {
  const dialog = root.querySelector('.modal-ux');
  if (dialog !== openDialog) {
    const target = dialog
      ? (dialog.querySelector('input') ?? dialog.querySelector('button'))
      : root.querySelector('.btn.authorize');
    openDialog = dialog;
    if (target instanceof HTMLElement) {
      target.focus();
    }
  }
}

new MutationObserver(() => {
  followDialog();
  for (const [selector, name] of Object.entries(NAMES)) {
    for (const element of root.querySelectorAll(selector)) {
      const parameter = element.closest('[data-param-name]')?.getAttribute('data-param-name');
      element.setAttribute('aria-label', parameter ?? name);
    }
  }
}).observe(root, { childList: true, subtree: true });

const ui = SwaggerUIBundle({
  url: root.dataset['document'],
  domNode: root,
  deepLinking: true,
  // Otherwise a badge of another host.
  validatorUrl: null,
  syntaxHighlight: { theme: 'monokai' },
  plugins: [exactIntegers, keyOfTab, plainSummaries],
  onComplete: () => {
    /** @type {unknown} */
    const authorized = JSON.parse(sessionStorage.getItem(KEPT) ?? '{}');
    ui.authActions.restoreAuthorization({ authorized });
  },
});
