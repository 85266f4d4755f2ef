import {
  escapeHtml,
  memoize,
  preparePublicDocument,
  sendPublicDocument,
  servePublicDocument,
  type PublicDocument,
  versioned,
  versionOf,
  protectPage,
  redirectTrailingSlash,
  varyBy,
} from '@store-gateway/http';
import {
  type Frame,
  GRAPHQL_PATH,
  HTML,
  INTROSPECTION,
  mediaTypeOf,
  pageSources,
  renderPage,
} from './frame.ts';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress, gzip } from 'node:zlib';
import express, { type IRouter, type RequestHandler, type Router } from 'express';
import type { Config } from '../../config/config.ts';

/** Monaco's names for its workers. */
const WORKERS = ['editorWorkerService', 'json', 'graphql'];

interface PlaygroundParts {
  /** Returns the reference to one of GraphiQL's files. */
  readonly reference: (name: string) => string;
  /** The names of our own scripts on the page. */
  readonly modules: readonly string[];
  /** The reference to the result of the introspection query, unless the schema isn't public. */
  readonly introspection: string | undefined;
}

/** Renders GraphiQL's page. A plain editor runs queries until GraphiQL has loaded and replaces it. */
function renderPlayground(
  frame: Frame,
  { reference, modules, introspection }: PlaygroundParts,
): string {
  const queries = frame.firstQueries.map(escapeHtml);
  const workers = WORKERS.map(
    (label) => `<meta name="worker-${label}" content="${reference(`worker-${label}.js`)}">`,
  );
  // Preloads all modules: otherwise, the browser would request imported modules only after the importing ones have arrived.
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

/** @returns a form whose fields have the same names as GraphiQL's texts */
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

type NamedDocument = readonly [name: string, document: PublicDocument];

/** The folder of GraphiQL's files, below the assets. */
const PLAYGROUND_ASSETS = '/assets/graphiql';

/** The folders of our own files, and of the files that generate.ts writes. */
const OWN = new URL('../../graphql/playground/browser/', import.meta.url);
const GENERATED = new URL('../../graphql/playground/generated/', import.meta.url);

/** Matches the end of each import in our own scripts. */
const IMPORT = /(?<=\bfrom '\.\/[\w-]+\.js)(?=';$)/gm;

/** Our own files. They share one version, which their imports include, so they are served as immutable. */
const ownDocuments = memoize(async (): Promise<readonly NamedDocument[]> => {
  const names = (await readdir(OWN)).filter((name) => /\.(?:css|js)$/.test(name));
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, OWN), 'utf8')));
  const version = await versionOf(Buffer.from(texts.join('')));
  return Promise.all(
    names.map(async (name, place) => {
      const text = texts[place]?.replaceAll(IMPORT, `?${version}`) ?? '';
      return [name, { ...(await preparePublicDocument(text, mediaTypeOf(name))), version }];
    }),
  );
});

const documents = memoize(async () => {
  const generated = (await readdir(GENERATED)).map(generatedDocument);
  return new Map([...(await ownDocuments()), ...(await Promise.all(generated))]);
});

/** Mounts GraphiQL's page and its assets. */
export function mountPlayground(
  router: IRouter,
  frame: Frame,
  options: Pick<Config, 'graphqlIntrospection'>,
): void {
  router.get(GRAPHQL_PATH, ...createPlayground(frame, options));
  router.use(PLAYGROUND_ASSETS, createPlaygroundAssets());
}

function createPlayground(
  frame: Frame,
  { graphqlIntrospection }: Pick<Config, 'graphqlIntrospection'>,
): readonly RequestHandler[] {
  const introspection = graphqlIntrospection ? INTROSPECTION.slice(1) : undefined;
  const page = memoize(async () => {
    const files = await documents();
    const reference = (name: string) => {
      const document = files.get(name);
      if (document === undefined) {
        throw new Error(`there is no GraphiQL asset ${name}`);
      }
      // Relative to the page, so that it also works below a proxy's prefix.
      return versioned(`${PLAYGROUND_ASSETS.slice(1)}/${name}`, document);
    };
    const names = (await ownDocuments()).map(([name]) => name);
    const modules = names.filter((name) => name.endsWith('.js'));
    const html = renderPlayground(frame, { reference, modules, introspection });
    return preparePublicDocument(html, HTML);
  });

  return [
    (_request, response, next) => {
      // Other clients get data, even from a path that redirects browsers.
      varyBy(response, 'Accept');
      next();
    },
    redirectTrailingSlash,
    protectPage({
      ...pageSources(frame),
      // Monaco adds inline style sheets.
      styleSrc: ["'self'", "'unsafe-inline'"],
      fontSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      workerSrc: ["'self'"],
    }),
    async (request, response) => {
      await sendPublicDocument(await page(), request, response);
    },
  ];
}

/** Serves the assets of GraphiQL's page. */
function createPlaygroundAssets(): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.use(protectPage({}));
  router.all('/:name', async (request, response, next) => {
    const document = (await documents()).get(request.params.name);
    if (document === undefined) {
      next();
    } else {
      await servePublicDocument(() => Promise.resolve(document))(request, response);
    }
  });
  return router;
}

async function generatedDocument(file: string): Promise<NamedDocument> {
  const brotli = await readFile(new URL(file, GENERATED));
  const plain = memoize(() => promisify(brotliDecompress)(brotli));
  const name = file.slice(0, -'.br'.length);
  const document = {
    mediaType: mediaTypeOf(name),
    version: await versionOf(brotli),
    encoded: {
      br: () => Promise.resolve(brotli),
      gzip: memoize(async () => promisify(gzip)(await plain())),
      identity: plain,
    },
  };
  return [name, document];
}
