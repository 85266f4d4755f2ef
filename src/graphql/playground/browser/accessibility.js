/* Runs in the browser before GraphiQL's own script: fixes what blocks users of keyboards and screen readers. */
document.addEventListener('DOMContentLoaded', () => {
  monaco.editor.onDidCreateEditor((editor) => {
    editor.onDidChangeModel(() => {
      const model = editor.getModel();
      if (model?.uri.path.endsWith('request-headers.json')) {
        // Put the cursor where the key belongs.
        const text = model.getValue();
        editor.setPosition(model.getPositionAt(text.indexOf('"', text.indexOf('Bearer'))));
      }
    });
  });

  // In the small JSON editors the Tab key moves the focus, as elsewhere (WCAG 2.1.2): the editor doesn't get the event.
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

  // GraphiQL gives the role of a tab to the list item around its two buttons, which hides the buttons from screen readers
  // (WAI-ARIA 1.2, "children presentational").
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
