/* Runs in the browser before GraphiQL's own script: gives it the API key of the page, and its first queries. */

/** Keys of the tab's session storage. <api-key-field> stores the API key there once it works. */
const STORED = {
  key: document.querySelector('api-key-field')?.getAttribute('data-item') ?? '',
  query: 'playground:query',
};

/**
 * The key with which the schema was fetched, or null without one; undefined until GraphiQL has started.
 *
 * @type {string | null | undefined}
 */
let introspectedWith;

/** @type {Fetcher} */
async function fetcher(request, options) {
  const { query, operationName } = request;
  const name = operationName ?? '';
  const key = sessionStorage.getItem(STORED.key);
  // With this media type an invalid query is 200, which the console doesn't report.
  const headers = new Headers({ Accept: 'application/json', 'Content-Type': 'application/json' });
  if (key !== null) {
    headers.set('Authorization', `Bearer ${key}`);
  }
  // Headers from the headers tab take precedence.
  for (const [header, value] of Object.entries(options?.headers ?? {})) {
    headers.set(header, value);
  }
  const introspects = name === 'IntrospectionQuery';
  if (introspects) {
    introspectedWith = key;
  }
  if (!headers.has('Authorization')) {
    // For text instead of a result GraphiQL has no schema, and shows no error either.
    return introspects ? '' : { errors: [{ message: 'Enter an API key in the field above' }] };
  }
  // Relative to the page, so that it holds below a proxy's prefix too.
  const response = await fetch(location.pathname, {
    method: 'POST',
    headers,
    // After a change of tabs the name is still that of the tab before.
    body: JSON.stringify({
      ...request,
      operationName: query.includes(name) ? operationName : undefined,
    }),
  });
  /** @type {unknown} */
  const answer = await response.json();
  if (!introspects) {
    // On a phone it is below the query, out of sight.
    document.querySelector('.graphiql-response')?.scrollIntoView({ block: 'nearest' });
  }
  // Without `data`, GraphiQL takes the error for that of an old server, and asks again.
  return introspects && typeof answer === 'object' ? { data: null, ...answer } : answer;
}

window.addEventListener('api-key', () => {
  const key = sessionStorage.getItem(STORED.key);
  if (introspectedWith === undefined || key === null || key === introspectedWith) {
    return;
  }
  // The response may be about the key before.
  monaco.editor
    .getModels()
    .find(({ uri }) => uri.path.endsWith('response.json'))
    ?.setValue('');
  // GraphiQL's shortcut for fetching the schema again.
  window.dispatchEvent(new KeyboardEvent('keydown', { key: 'R', ctrlKey: true }));
});

const root = document.getElementById('root');
const linked = new URLSearchParams(location.search).get('query') ?? undefined;
// So that a reload doesn't open it again.
history.replaceState(null, '', location.pathname);
const queries = [
  ...(linked === undefined ? [] : [linked]),
  ...Array.from(
    document.querySelectorAll('meta[name="first-query"]'),
    (element) => element.getAttribute('content') ?? '',
  ),
];
// GraphiQL opens the tab that has this query, or else a new one.
const open = linked ?? sessionStorage.getItem(STORED.query) ?? queries[0] ?? '';
sessionStorage.setItem(STORED.query, open);
// Until GraphiQL has come.
root?.querySelector('pre')?.replaceChildren(open);

// Read by Monaco, GraphiQL's editor, as it loads: it becomes the global `monaco`.
window.MonacoEnvironment = {
  globalAPI: true,
  getWorkerUrl: (_module, label) =>
    document.querySelector(`meta[name="worker-${label}"]`)?.getAttribute('content') ?? '',
};

document.addEventListener('DOMContentLoaded', () => {
  YogaGraphiQL.renderYogaGraphiQL(root, {
    title: 'GraphiQL',
    fetcher,
    query: open,
    // By default it writes each query into the address.
    onEditQuery: () => {},
    onTabChange: ({ tabs, activeTabIndex }) => {
      sessionStorage.setItem(STORED.query, tabs[activeTabIndex]?.query ?? '');
    },
    defaultTabs: queries.map((query) => ({ query })),
    storage: sessionStorage,
    shouldPersistHeaders: false,
  });
});
