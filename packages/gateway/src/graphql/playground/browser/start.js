/* Runs in the browser before GraphiQL's own script: starts GraphiQL with its first queries, or the one that is linked to. */
import { startFixes } from './accessibility.js';
import { fetcher } from './fetcher.js';
import { giveIdempotencyKey, learnMutations } from './idempotency-key.js';
import { linkedQuery } from './link.js';
import { openTab } from './open-tab.js';
import { showResponseOfTab } from './response-bar.js';
import { SCHEMA_QUERY } from './schema.js';

const QUERY_ITEM = 'playground:query';

/** @param {readonly string[]} first */
function startGraphiQL(first) {
  const root = document.getElementById('root');
  const linked = linkedQuery();
  // So that a reload doesn't open it again.
  history.replaceState(null, '', location.pathname);
  const tabs = [...(linked === undefined ? [] : [linked]), ...first.map((query) => ({ query }))];
  // GraphiQL opens the tab that has this query, or else a new one.
  const query = linked?.query ?? sessionStorage.getItem(QUERY_ITEM) ?? first[0] ?? '';
  sessionStorage.setItem(QUERY_ITEM, query);
  // Until GraphiQL has come.
  root?.querySelector('pre')?.replaceChildren(query);

  document.addEventListener('DOMContentLoaded', () => {
    YogaGraphiQL.renderYogaGraphiQL(root, {
      title: 'GraphiQL',
      fetcher,
      introspectionQueryName: SCHEMA_QUERY,
      onSchemaChange: learnMutations,
      query,
      ...(linked !== undefined && { variables: linked.variables }),
      // By default it writes each query into the address.
      onEditQuery: giveIdempotencyKey,
      onTabChange: ({ tabs: all, activeTabIndex }) => {
        const { id = '', query: opened = '' } = all[activeTabIndex] ?? {};
        sessionStorage.setItem(QUERY_ITEM, opened ?? '');
        openTab.id = id;
        showResponseOfTab();
        giveIdempotencyKey();
      },
      defaultTabs: tabs,
      storage: sessionStorage,
      shouldPersistHeaders: false,
    });
  });
}

// Read by Monaco, GraphiQL's editor, as it loads: it becomes the global `monaco`.
window.MonacoEnvironment = {
  globalAPI: true,
  getWorkerUrl: (_module, label) =>
    document.querySelector(`meta[name="worker-${label}"]`)?.getAttribute('content') ?? '',
};

startFixes();
startGraphiQL(
  Array.from(
    document.querySelectorAll('meta[name="first-query"]'),
    (element) => element.getAttribute('content') ?? '',
  ),
);
