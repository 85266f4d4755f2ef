import { firstQueries } from '../../graphql/playground/first-queries.ts';
import { WORKERS } from '../../graphql/playground/files.ts';
import { renderPage } from './html.ts';

/**
 * GraphiQL's page. It shows its frame and the first query at once; GraphiQL replaces them when its script has come.
 *
 * @param reference to a file of GraphiQL, by its name
 */
export function renderPlayground(reference: (name: string) => string): string {
  const workers = Object.entries(WORKERS).map(
    ([label, name]) => `<meta name="worker-${label}" content="${reference(name)}">`,
  );
  return renderPage({
    title: 'GraphQL · Animal Store Gateway',
    head: `${workers.join('\n    ')}
    <link rel="stylesheet" href="assets/tokens.css">
    <link rel="stylesheet" href="assets/api-key.css">
    <link rel="stylesheet" href="${reference('style.css')}">
    <script type="module" src="assets/api-key.js"></script>
    <script src="${reference('start.js')}" defer></script>
    <script src="${reference('accessibility.js')}" defer></script>
    <script src="${reference('graphiql.js')}" defer></script>`,
    body: `<header>
      <h1><a href="./">Animal Store Gateway</a> <span>GraphQL</span></h1>
      <api-key-field></api-key-field>
    </header>
    <noscript>GraphiQL needs JavaScript.</noscript>
    <main id="root">
      <p class="loading">Loading the editor…</p>
      <pre class="loading">${firstQueries[0] ?? ''}</pre>
    </main>
    ${firstQueries.map((query) => `<script type="application/graphql">${query}</script>`).join('\n    ')}
    <link rel="stylesheet" href="${reference('graphiql.css')}">
    <link rel="stylesheet" href="${reference('graphiql-fixes.css')}">`,
  });
}
