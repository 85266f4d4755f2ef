import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { API_KEY_FORM } from '../../auth/api-key.ts';
import { firstQueries } from './first-queries.ts';

/** An HTML page with its policy. */
export interface Page {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

const MISSING_KEY =
  'No API key yet. Make one with: npm run --silent keys -- create NAME. Then put it behind Bearer in the Headers tab.';

/** GraphiQL with all its assets inline: 9 MB, so they are loaded only when this is called. */
export async function renderPlayground(): Promise<Page> {
  const graphiql = await import('@graphql-yoga/render-graphiql/graphiql');
  const [start, accessibility, style] = await Promise.all([
    readText('start.js'),
    readText('accessibility.js'),
    readText('style.css'),
  ]);
  // Ours first: GraphiQL's script reads what they set.
  const scripts = [start, accessibility, graphiql.js];
  const workers = [
    ['editorWorkerService', graphiql.editorWorkerService],
    ['json', graphiql.jsonWorker],
    ['graphql', graphiql.graphqlWorker],
  ] as const;
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>GraphiQL · Animal Store Gateway</title>
    <link rel="icon" href="${graphiql.favicon}">
    <style>${graphiql.css}</style>
    <style>${style}</style>
  </head>
  <body>
    <noscript>GraphiQL needs JavaScript.</noscript>
    <p id="missing-key" role="status" data-key-form="${API_KEY_FORM}">${MISSING_KEY}</p>
    <main id="root"></main>
    ${firstQueries.map((query) => `<script type="application/graphql">${query}</script>`).join('\n    ')}
    ${workers.map(([label, code]) => `<script type="application/json" id="worker-${label}">${asJson(code)}</script>`).join('\n    ')}
    ${scripts.map((script) => `<script>${script}</script>`).join('\n    ')}
  </body>
</html>
`;
  return {
    html,
    contentSecurityPolicy: [
      "default-src 'none'",
      `script-src ${scripts.map((script) => `'sha256-${sha256(script)}'`).join(' ')}`,
      "style-src 'unsafe-inline'",
      'font-src data:',
      "img-src 'self' data:",
      "connect-src 'self'",
      'worker-src blob:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  };
}

/** JSON that can't close an HTML element. */
function asJson(text: string): string {
  return JSON.stringify(text).replaceAll('<', String.raw`\u003c`);
}

async function readText(name: string): Promise<string> {
  return readFile(new URL(`browser/${name}`, import.meta.url), 'utf8');
}

function sha256(content: string): string {
  return createHash('sha256').update(content).digest('base64');
}
