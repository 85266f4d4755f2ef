/* Runs in the browser: starts the plain editor, and GraphiQL, with its first queries or the one that is linked to. */
import { fixEditors, fixKeys } from './accessibility.js';
import { fieldOf, textOf, onElement } from './editors.js';
import { fetcher } from './fetcher.js';
import { giveIdempotencyKey, markTabAsKeyed } from './idempotency-key.js';
import { linkedQuery } from './link.js';
import { loadGraphiQL } from './load-graphiql.js';
import { openTab } from './open-tab.js';
import { showGraphiQL, startPlainEditor, typingPause } from './plain-editor.js';
import { nameFirstTab, showResponseOfTab } from './response-bar.js';
import { SCHEMA_QUERY } from './schema.js';

const QUERY_ITEM = 'playground:query';
/** Where GraphiQL keeps those of the open tab. */
const VARIABLES_ITEM = 'graphiql:variables';

/** @param {readonly string[]} first */
async function start(first) {
  const linked = linkedQuery();
  // So that a reload doesn't open it again.
  history.replaceState(null, '', location.pathname);
  const tabs = [...(linked === undefined ? [] : [linked]), ...first.map((query) => ({ query }))];
  // GraphiQL opens the tab that has this query, or else a new one.
  const query = linked?.query ?? sessionStorage.getItem(QUERY_ITEM) ?? first[0] ?? '';
  sessionStorage.setItem(QUERY_ITEM, query);
  startPlainEditor(query, linked?.variables ?? sessionStorage.getItem(VARIABLES_ITEM) ?? '');

  fixKeys();
  await typingPause();
  await loadGraphiQL();
  await typingPause();
  fixEditors();
  onElement('[data-uri$="operation.graphql"] .view-line', () => {
    void typingPause().then(showGraphiQL);
  });
  YogaGraphiQL.renderYogaGraphiQL(document.getElementById('root'), {
    title: 'GraphiQL',
    fetcher,
    introspectionQueryName: SCHEMA_QUERY,
    query,
    ...(linked !== undefined && { variables: linked.variables }),
    // By default it writes each query into the address.
    onEditQuery: giveIdempotencyKey,
    onTabChange: ({ tabs: all, activeTabIndex }) => {
      const { id = '', query: opened = '' } = all[activeTabIndex] ?? {};
      sessionStorage.setItem(QUERY_ITEM, opened ?? '');
      if (openTab.id === '') {
        nameFirstTab(id);
        markTabAsKeyed(id);
      }
      openTab.id = id;
      showResponseOfTab();
      giveIdempotencyKey();
    },
    defaultTabs: tabs,
    storage: sessionStorage,
    shouldPersistHeaders: false,
  });
}

// GraphiQL keeps its texts itself. Who signs in at the identity provider comes back to this page.
window.addEventListener('pagehide', () => {
  if (fieldOf('operation.graphql') !== undefined) {
    sessionStorage.setItem(QUERY_ITEM, textOf('operation.graphql'));
    sessionStorage.setItem(VARIABLES_ITEM, textOf('variables.json'));
  }
});

// Read by Monaco, GraphiQL's editor, as it loads: it becomes the global `monaco`.
window.MonacoEnvironment = {
  globalAPI: true,
  getWorkerUrl: (_module, label) =>
    document.querySelector(`meta[name="worker-${label}"]`)?.getAttribute('content') ?? '',
};

void start(
  Array.from(
    document.querySelectorAll('meta[name="first-query"]'),
    (element) => element.getAttribute('content') ?? '',
  ),
);
