/*
 * Runs in the browser before GraphiQL's own script: asks for the API key, sends it and stores it. The page contains this
 * file as it is, and its Content-Security-Policy the file's hash.
 */
document.addEventListener('DOMContentLoaded', () => {
  const notice = document.getElementById('missing-key');
  const keyForm = new RegExp(notice?.dataset['keyForm'] ?? '');
  const queries = document.querySelectorAll('script[type="application/graphql"]');
  const STORED = { headers: 'playground:headers', query: 'playground:query' };

  // Shared by all tabs of GraphiQL. A key is a secret, so it is stored nowhere but in the session's storage, which ends with
  // the browser's tab.
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
      // For text instead of a result GraphiQL has no schema, and shows no error either.
      return introspects ? '' : { errors: [{ message: notice?.textContent }] };
    }
    if (introspects) {
      introspectedWith = key;
    }
    const response = await fetch(location.pathname, {
      method: 'POST',
      // With this media type an invalid query is 200, which the console doesn't report.
      headers: { Accept: 'application/json', 'Content-Type': 'application/json', ...sent },
      // After a change of tabs the name is still that of the tab before.
      body: JSON.stringify({
        ...request,
        operationName: query.includes(name) ? operationName : undefined,
      }),
    });
    /** @type {unknown} */
    const answer = await response.json();
    // Without `data`, GraphiQL takes the error for that of an old server, and asks again.
    return introspects && typeof answer === 'object' ? { data: null, ...answer } : answer;
  }

  function headersChanged() {
    const key = keyIn(headers);
    notice?.toggleAttribute('hidden', key !== '');
    // Not for a key that is still being typed: each prefix would be rejected, and reported in the console.
    if (key !== introspectedWith && keyForm.test(key)) {
      // The response may be about the key before.
      monaco.editor.getModels().find(isNamed('response.json'))?.setValue('');
      // GraphiQL's shortcut for fetching the schema again.
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
        // GraphiQL has set those of another tab. Deferred, so that other listeners get that change first.
        queueMicrotask(() => model.setValue(headers));
      }
    });
    // Deferred until GraphiQL has created the editor, whose text it sends.
    queueMicrotask(headersChanged);
  });

  const linked = new URLSearchParams(location.search).get('query') ?? undefined;
  // So that a reload doesn't open it again.
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
    // By default it writes each query into the address.
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

// Read by Monaco, GraphiQL's editor, as it loads: it becomes the global `monaco`, and its workers are part of the page.
window.MonacoEnvironment = {
  globalAPI: true,
  getWorkerUrl: (_module, label) => {
    const code = document.getElementById(`worker-${label}`)?.textContent ?? '""';
    return URL.createObjectURL(new Blob([String(JSON.parse(code))], { type: 'text/javascript' }));
  },
};

/**
 * The text after "Bearer" in headers.
 *
 * @param {string} text JSON, perhaps unfinished
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
