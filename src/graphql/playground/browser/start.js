/*
 * Runs in the browser, before GraphiQL's own script: sees to it that the key is asked for, used and
 * kept. It stands in the page as it is here, and the page's policy knows its hash.
 */
document.addEventListener('DOMContentLoaded', () => {
  const notice = document.getElementById('missing-key');
  const keyForm = new RegExp(notice?.dataset['keyForm'] ?? '');
  const queries = document.querySelectorAll('script[type="application/graphql"]');
  const STORED = { headers: 'playground:headers', query: 'playground:query' };

  // One text for all tabs of GraphiQL. The session's storage ends with the browser's tab, and it is the
  // only place that has it: a key is a secret.
  let headers = sessionStorage.getItem(STORED.headers) ?? '{\n  "Authorization": "Bearer "\n}';
  let introspectedWith = '';

  /** @type {Fetcher} */
  async function fetcher(request, options) {
    const { query, operationName } = request;
    const name = operationName ?? '';
    const sent = options?.headers ?? {};
    const key = keyIn(JSON.stringify(sent));
    const introspects = name === 'IntrospectionQuery';
    if (key === '') {
      // Text instead of an answer: GraphiQL then has no schema, and shows no error either.
      return introspects ? '' : { errors: [{ message: notice?.textContent }] };
    }
    if (introspects) {
      introspectedWith = key;
    }
    const response = await fetch(location.pathname, {
      method: 'POST',
      // With this media type a query that isn't valid (yet) is 200: no error to the browser.
      headers: { Accept: 'application/json', 'Content-Type': 'application/json', ...sent },
      // For a moment, the name is that of the tab before.
      body: JSON.stringify({
        ...request,
        operationName: query.includes(name) ? operationName : undefined,
      }),
    });
    /** @type {unknown} */
    const answer = await response.json();
    // Without `data`, GraphiQL would take the refusal for that of an old server, and ask once more.
    return introspects && typeof answer === 'object' ? { data: null, ...answer } : answer;
  }

  function headersChanged() {
    const key = keyIn(headers);
    notice?.toggleAttribute('hidden', key !== '');
    // Not while it is being typed: each of its beginnings would be refused, and the console full of it.
    if (key !== introspectedWith && keyForm.test(key)) {
      // What it says may be about the key before.
      monaco.editor.getModels().find(isNamed('response.json'))?.setValue('');
      // GraphiQL's own shortcut for fetching the schema again.
      window.dispatchEvent(new KeyboardEvent('keydown', { key: 'R', ctrlKey: true }));
    }
  }

  monaco.editor.onDidCreateModel((model) => {
    if (!isNamed('request-headers.json')(model)) {
      return;
    }
    model.onDidChangeContent(({ isFlush }) => {
      const text = model.getValue();
      if (!isFlush) {
        headers = text;
        sessionStorage.setItem(STORED.headers, headers);
        headersChanged();
      } else if (text !== headers) {
        // GraphiQL has put those of another tab there. Not at once: others hear of that change first.
        queueMicrotask(() => model.setValue(headers));
      }
    });
    // Once GraphiQL has made the editor, and would send what is in it.
    queueMicrotask(headersChanged);
  });

  const linked = new URLSearchParams(location.search).get('query') ?? undefined;
  // A reload shall not open it once more.
  history.replaceState(null, '', location.pathname);
  const firstQueries = [
    ...(linked === undefined ? [] : [linked]),
    ...Array.from(queries, ({ textContent }) => textContent),
  ];
  // GraphiQL opens the tab that has this query, or else a new one.
  const open = linked ?? sessionStorage.getItem(STORED.query) ?? firstQueries[0];
  sessionStorage.setItem(STORED.query, open ?? '');

  YogaGraphiQL.renderYogaGraphiQL(document.getElementById('root'), {
    title: 'Animal Store Gateway',
    fetcher,
    query: open,
    // Otherwise it would write each query into the address.
    onEditQuery: () => {},
    onTabChange: ({ tabs, activeTabIndex }) => {
      sessionStorage.setItem(STORED.query, tabs[activeTabIndex]?.query ?? '');
    },
    defaultTabs: firstQueries.map((query) => ({ query })),
    initialHeaders: headers,
    headers,
    storage: sessionStorage,
    shouldPersistHeaders: false,
  });
});

// Monaco, GraphiQL's editor, reads this while it is loaded: it shall be there as `monaco`, and its
// workers are part of the page.
window.MonacoEnvironment = {
  globalAPI: true,
  getWorkerUrl: (_module, label) => {
    const code = document.getElementById(`worker-${label}`)?.textContent ?? '""';
    return URL.createObjectURL(new Blob([String(JSON.parse(code))], { type: 'text/javascript' }));
  },
};

/**
 * What stands behind "Bearer" in headers, as JSON.
 *
 * @param {string} text
 */
function keyIn(text) {
  return (
    /"authorization"\s*:\s*"(?:bearer\s*)?(?<key>[^"]*)"/i.exec(text)?.groups?.['key']?.trim() ?? ''
  );
}

/** @param {string} name */
function isNamed(name) {
  return (/** @type {TextModel | null} */ model) => model?.uri.path.endsWith(name) ?? false;
}
