/*
 * Runs in the browser, before GraphiQL's own script: mends what keeps people out who have no mouse, or
 * don't see the screen.
 */
document.addEventListener('DOMContentLoaded', () => {
  monaco.editor.onDidCreateEditor((editor) => {
    editor.onDidChangeModel(() => {
      const model = editor.getModel();
      if (model?.uri.path.endsWith('request-headers.json')) {
        // Where the key goes.
        const text = model.getValue();
        editor.setPosition(model.getPositionAt(text.indexOf('"', text.indexOf('Bearer'))));
      }
    });
  });

  // Where there is little to indent, the Tab key leads on as it does elsewhere (WCAG 2.1.2): the editor
  // doesn't get to see it.
  document.addEventListener(
    'keydown',
    (event) => {
      const { key, target } = event;
      if (key === 'Tab' && target instanceof Element && target.closest('[data-uri$=".json"]')) {
        event.stopPropagation();
      }
    },
    { capture: true },
  );

  // GraphiQL takes the list item around a tab's two buttons for the tab, so that a screen reader leaves
  // out the buttons (WAI-ARIA 1.2, "children presentational").
  const root = document.getElementById('root');
  if (root !== null) {
    new MutationObserver(() => {
      for (const item of root.querySelectorAll('.graphiql-tab[aria-selected]')) {
        const selected = item.getAttribute('aria-selected') ?? 'false';
        item.querySelector('.graphiql-tab-button')?.setAttribute('aria-current', selected);
        item.removeAttribute('aria-selected');
        item.removeAttribute('role');
        item.parentElement?.removeAttribute('role');
      }
    }).observe(root, { childList: true, subtree: true, attributeFilter: ['aria-selected'] });
  }
});
