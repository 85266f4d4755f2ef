/* Runs in the browser: starts the plain editor and GraphiQL, with the linked query or the store's first queries. */
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
/** The item in which GraphiQL stores the variables of the open tab. */
const VARIABLES_ITEM = 'graphiql:variables';

/** @param {readonly string[]} first */
async function start(first) {
  const linked = linkedQuery();
  // A reload must not open the linked query again.
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
    // Without this, each edit would write the query into the address.
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

// Texts in the plain editor must survive a sign-in, which leaves this page and returns to it. GraphiQL saves its own texts.
window.addEventListener('pagehide', () => {
  if (fieldOf('operation.graphql') !== undefined) {
    sessionStorage.setItem(QUERY_ITEM, textOf('operation.graphql'));
    sessionStorage.setItem(VARIABLES_ITEM, textOf('variables.json'));
  }
});

// Monaco, GraphiQL's editor, reads this when it loads, and becomes the global `monaco`.
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
