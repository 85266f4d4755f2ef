import { escapeHtml } from '@store-gateway/openapi-reference/html';
import { GRAPHQL_PATH } from '../surface.ts';
import type { Frame } from './frame.ts';
import { renderPage } from './html.ts';

/** Monaco's names for its workers. */
const WORKERS = ['editorWorkerService', 'json', 'graphql'];

interface PlaygroundParts {
  /** The reference to a file of GraphiQL, by its name. */
  readonly reference: (name: string) => string;
  /** The names of our own scripts for it. */
  readonly modules: readonly string[];
  /** The reference to the result of the introspection query, unless the schema isn't public. */
  readonly introspection: string | undefined;
}

/** GraphiQL's page. It shows its frame and the first query at once; GraphiQL replaces them when its script has come. */
export function renderPlayground(
  frame: Frame,
  { reference, modules, introspection }: PlaygroundParts,
): string {
  const queries = frame.firstQueries.map(escapeHtml);
  const workers = WORKERS.map(
    (label) => `<meta name="worker-${label}" content="${reference(`worker-${label}.js`)}">`,
  );
  // All at once: what modules import would otherwise be asked for once they are there.
  const preloads = modules.map((name) => `<link rel="modulepreload" href="${reference(name)}">`);
  const schema =
    introspection === undefined ? [] : [`<meta name="introspection" content="${introspection}">`];
  return renderPage(frame, {
    path: GRAPHQL_PATH,
    title: `GraphQL · ${frame.title}`,
    styles: [],
    scripts: [],
    head: `${[...workers, ...schema].join('\n    ')}
    ${queries.map((query) => `<meta name="first-query" content="${query}">`).join('\n    ')}
    <link rel="stylesheet" href="${reference('style.css')}">
    ${preloads.join('\n    ')}
    <script type="module" src="${reference('start.js')}"></script>
    <script src="${reference('graphiql.js')}" defer></script>`,
    body: `<main>
      <h1 class="unseen">GraphiQL</h1>
      <noscript><p>GraphiQL needs JavaScript. The <a href="docs">REST documentation</a> can be read without it.</p></noscript>
      <div id="root">
        <p class="loading">Loading the editor…</p>
        <pre class="loading">${queries[0] ?? ''}</pre>
      </div>
    </main>
    <link rel="stylesheet" href="${reference('graphiql.css')}">
    <link rel="stylesheet" href="${reference('graphiql-fixes.css')}">`,
  });
}
