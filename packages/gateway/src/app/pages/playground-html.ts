import { escapeHtml } from '@gateway/openapi-reference/html';
import { loadAssets } from './assets.ts';
import type { Frame } from './frame.ts';
import { renderPage } from './html.ts';

/** Monaco's names for its workers. */
const WORKERS = ['editorWorkerService', 'json', 'graphql'];

/**
 * GraphiQL's page. It shows its frame and the first query at once; GraphiQL replaces them when its script has come.
 *
 * @param reference to a file of GraphiQL, by its name
 */
export function renderPlayground(frame: Frame, reference: (name: string) => string): string {
  const queries = frame.firstQueries.map(escapeHtml);
  const workers = WORKERS.map(
    (label) => `<meta name="worker-${label}" content="${reference(`worker-${label}.js`)}">`,
  );
  return renderPage(frame, {
    title: `GraphQL · ${frame.title}`,
    head: `${workers.join('\n    ')}
    ${queries.map((query) => `<meta name="first-query" content="${query}">`).join('\n    ')}
    ${loadAssets(frame.assets, ['base.css', 'api-key.css'], ['api-key.js'])}
    <link rel="stylesheet" href="${reference('style.css')}">
    <script src="${reference('start.js')}" defer></script>
    <script src="${reference('accessibility.js')}" defer></script>
    <script src="${reference('graphiql.js')}" defer></script>`,
    body: `<header>
      <h1><a href="./">${frame.title}</a> <span>GraphQL</span></h1>
      ${frame.keyField}
    </header>
    <noscript>GraphiQL needs JavaScript.</noscript>
    <main id="root">
      <p class="loading">Loading the editor…</p>
      <pre class="loading">${queries[0] ?? ''}</pre>
    </main>
    <link rel="stylesheet" href="${reference('graphiql.css')}">
    <link rel="stylesheet" href="${reference('graphiql-fixes.css')}">`,
  });
}
