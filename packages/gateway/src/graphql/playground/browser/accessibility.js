/* Runs in the browser: fixes what blocks users of keyboards, screen readers and phones. */

/**
 * GraphiQL gives the role of a tab to the list item around its two buttons, which hides the buttons from screen readers
 * (WAI-ARIA 1.2, "children presentational").
 *
 * @param {HTMLElement} root
 */
function fixTabs(root) {
  for (const item of root.querySelectorAll('.graphiql-tab[aria-selected]')) {
    const selected = item.getAttribute('aria-selected') ?? 'false';
    item.querySelector('.graphiql-tab-button')?.setAttribute('aria-current', selected);
    item.removeAttribute('aria-selected');
    item.removeAttribute('role');
    item.parentElement?.removeAttribute('role');
  }
}

/** What is chosen with the mouse in the Explorer: fields and arguments. */
const CHOICES =
  '.graphiql-explorer-root :is([data-field-name], [data-arg-name] > span:first-child)';

/**
 * The Explorer has no names for its inputs, and its choices have neither a role nor a place in the order of tabs.
 *
 * @param {HTMLElement} root
 */
function fixExplorer(root) {
  for (const choice of root.querySelectorAll(CHOICES)) {
    const chosen = choice.querySelector('svg:is([style*="fill:"], [style*="rotate"])') !== null;
    choice.setAttribute('tabindex', '0');
    choice.setAttribute('role', 'button');
    choice.setAttribute('aria-pressed', String(chosen));
  }
  for (const input of root.querySelectorAll('.graphiql-explorer-root :is(input, select)')) {
    const argument = input.closest('[data-arg-name]')?.getAttribute('data-arg-name');
    input.setAttribute('aria-label', argument ?? 'Operation');
  }
}

/** To be called before GraphiQL's own script runs. */
export function fixKeys() {
  document.addEventListener(
    'keydown',
    (event) => {
      const { key, target } = event;
      if (!(target instanceof HTMLElement)) {
        return;
      }
      if (key === 'Tab' && target.closest('[data-uri$=".json"]')) {
        // In the small JSON editors the Tab key moves the focus, as elsewhere (WCAG 2.1.2): the editor doesn't get the event.
        event.stopPropagation();
      } else if ((key === 'Enter' || key === ' ') && target.matches(CHOICES)) {
        event.preventDefault();
        target.click();
      }
    },
    { capture: true },
  );
}

/** To be called when GraphiQL's own script has run, and before GraphiQL is started. */
export function fixEditors() {
  // On a phone a line is 38 characters long.
  monaco.editor.onDidCreateEditor((editor) => {
    editor.updateOptions({ wordWrap: 'on' });
  });
  // Monaco measures the characters when it starts, and its font may come later.
  document.fonts.addEventListener('loadingdone', () => {
    monaco.editor.remeasureFonts();
  });

  const root = document.getElementById('root');
  if (root !== null) {
    new MutationObserver(() => {
      fixTabs(root);
      fixExplorer(root);
    }).observe(root, { childList: true, subtree: true, attributeFilter: ['aria-selected'] });
  }
}
