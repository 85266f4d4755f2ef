import { escapeHtml } from '@store-gateway/http';
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

/** GraphiQL's page, on which a plain editor runs queries at once; GraphiQL takes its place when it has come. */
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
    title: `GraphiQL · ${frame.title}`,
    styles: [],
    scripts: ['json-view.js'],
    head: `${[...workers, ...schema].join('\n    ')}
    ${queries.map((query) => `<meta name="first-query" content="${query}">`).join('\n    ')}
    <link rel="stylesheet" href="${reference('style.css')}">
    ${preloads.join('\n    ')}
    <script type="module" src="${reference('start.js')}"></script>`,
    body: `<main>
      <h1 class="unseen">GraphiQL</h1>
      <noscript><p>GraphiQL needs JavaScript. The <a href="docs">REST documentation</a> can be read without it.</p></noscript>
      ${plainEditor(queries[0] ?? '')}
      <div id="root" inert></div>
    </main>
    <link rel="preload" href="${reference('graphiql.css')}" as="style" fetchpriority="low">
    <link rel="stylesheet" href="${reference('graphiql-fixes.css')}">
    <link rel="preload" href="${reference('graphiql.js')}" as="script" fetchpriority="low">`,
  });
}

/** @returns a form whose fields have the names of GraphiQL's texts */
function plainEditor(query: string): string {
  return `<form id="plain-editor" class="controls" autocomplete="off">
        <label for="query">Query</label>
        <textarea id="query" name="operation.graphql" autocapitalize="off" spellcheck="false">
${query}</textarea>
        <button disabled aria-label="Execute query" title="Execute query (Ctrl-Enter)"><svg viewBox="0 0 16 16" aria-hidden="true"><path d="m4 2 10 6-10 6z"/></svg></button>
        <label for="variables">Variables</label>
        <label for="headers">Headers</label>
        <textarea id="variables" name="variables.json" autocapitalize="off" spellcheck="false"></textarea>
        <textarea id="headers" name="request-headers.json" autocapitalize="off" spellcheck="false"></textarea>
        <div class="response"><output name="response.json" aria-label="Response" tabindex="0"></output></div>
      </form>`;
}
