/* Runs in the browser: makes GraphiQL usable with a keyboard, a screen reader or a phone. */

/**
 * Fixes the roles of tabs. GraphiQL gives the role `tab` to a list item with two buttons, which hides the buttons from screen
 * readers (WAI-ARIA 1.2, "children presentational").
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

/** The fields and arguments in the Explorer, which are chosen by clicking. */
const CHOICES =
  '.graphiql-explorer-root :is([data-field-name], [data-arg-name] > span:first-child)';

/**
 * Gives the Explorer's inputs labels, and its choices a role and a place in the tab order.
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

/** Makes Tab, Enter and Space work as on other pages. Must be called before GraphiQL's own script runs. */
export function fixKeys() {
  document.addEventListener(
    'keydown',
    (event) => {
      const { key, target } = event;
      if (!(target instanceof HTMLElement)) {
        return;
      }
      if (key === 'Tab' && target.closest('[data-uri$=".json"]')) {
        // In the small JSON editors, Tab moves the focus as on other pages (WCAG 2.1.2), because the event doesn't reach the
        // editor.
        event.stopPropagation();
      } else if ((key === 'Enter' || key === ' ') && target.matches(CHOICES)) {
        event.preventDefault();
        target.click();
      }
    },
    { capture: true },
  );
}

/** Adapts the editors. Must be called after GraphiQL's own script has run, and before GraphiQL is started. */
export function fixEditors() {
  // A phone shows only 38 characters per line.
  monaco.editor.onDidCreateEditor((editor) => {
    editor.updateOptions({ wordWrap: 'on' });
  });
  // Monaco measures characters when it starts, which may be before its font has loaded.
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
