import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import {
  escapeHtml,
  LIVE,
  preparePublicDocument,
  protectPage,
  READY,
  referenceTo,
  servePublicDocument,
} from '@store-gateway/http';
import type { Rest } from '@store-gateway/rest';
import express from 'express';
import type { Router } from 'express';
import type { Gateway, LandingPage } from '../../definition.ts';
import { scopeNames } from '../../auth/scope-names.ts';
import type { Config } from '../../config/config.ts';
import { GUIDES } from './guides/guide-files.ts';

/** The parts that all pages of a store share. */
export interface Frame {
  /** The store's title, as HTML. */
  readonly title: string;
  /** SVG shapes on a canvas of 16 by 16. */
  readonly icon: string;
  /** The element for the API key, and for signing in. */
  readonly keyField: string;
  /** The session storage item in which the browser keeps the key after its first successful use. */
  readonly keyItem: string;
  /** The origin of the identity provider, if people can sign in. */
  readonly providerOrigin: string | undefined;
  /** The store's own landing page, or a plain one. */
  readonly landing: LandingPage;
  /** The queries that GraphiQL opens with. */
  readonly firstQueries: readonly string[];
  /** The Markdown files of the guides. */
  readonly guides: readonly URL[];
  readonly assets: Assets;
}

const PLAIN: LandingPage = {
  styles: [],
  script: new URL('browser/api-key.js', import.meta.url),
  main: ({ title, addresses }) => `
      <h1>${title}</h1>
      ${addresses}`,
};

const DOT = '<circle cx="8" cy="8" r="6"/>';

type SignInOptions = Pick<Config, 'oidcIssuer' | 'oidcAudience' | 'oidcClientId'>;

export function createFrame(
  { title, access, serviceName, pages }: Gateway,
  { oidcIssuer, oidcAudience, oidcClientId }: SignInOptions,
): Frame {
  const { icon = DOT, landing = PLAIN, firstQueries = [], guides = [] } = pages;
  const keyItem = `${serviceName}:api-key`;
  const canSignIn = oidcIssuer !== undefined && oidcClientId !== undefined;
  const attributes = {
    prefix: access.keyPrefix,
    item: keyItem,
    ...(canSignIn && {
      issuer: oidcIssuer,
      client: oidcClientId,
      audience: oidcAudience ?? '',
      scopes: scopeNames(access).join(' '),
    }),
  };
  const written = Object.entries(attributes).map(
    ([name, value]) => ` data-${name}="${escapeHtml(value)}"`,
  );
  return {
    title: escapeHtml(title),
    icon,
    keyField: `<api-key-field${written.join('')}></api-key-field>`,
    keyItem,
    providerOrigin: canSignIn ? new URL(oidcIssuer).origin : undefined,
    landing,
    firstQueries,
    guides,
    assets: findAssets(landing),
  };
}

export const GRAPHQL_PATH = '/graphql';

/** The path of the REST documentation. */
export const DOCUMENTATION = '/docs';

export const SCHEMA = '/schema.graphql';

/** The path of the introspection query's result, from which GraphiQL's page gets the schema. */
export const INTROSPECTION = '/assets/introspection.json';

interface Destination {
  /** The destination's name in JSON. */
  readonly name: string;
  /** A relative URL of the destination. All pages that link to it are at the service's root. */
  readonly address: string;
  readonly title: string;
  readonly description: string;
}

/** Returns all addresses that the README lists, except the landing page's. */
export function destinationsOf(
  { basePath }: Pick<Rest, 'basePath'>,
  { guides }: Pick<Frame, 'guides'>,
  { graphqlIntrospection, publicUrl }: Pick<Config, 'graphqlIntrospection' | 'publicUrl'>,
): readonly Destination[] {
  const reference = (path: string) => referenceTo(path, { from: '/', publicUrl });
  const schema = {
    name: 'schema',
    address: reference(SCHEMA),
    title: 'GraphQL schema',
    description: 'In the schema definition language, for code generators.',
  };
  const ofGuides = {
    name: 'guides',
    address: reference(GUIDES),
    title: 'Guides',
    description: 'How to write a client, by topic.',
  };
  return [
    {
      name: 'rest',
      address: reference(basePath),
      title: 'REST',
      description: 'The base URL of the REST operations, for clients. A browser gets this page.',
    },
    {
      name: 'graphql',
      address: reference(GRAPHQL_PATH),
      title: 'GraphiQL',
      description: 'Write GraphQL queries and run them. For clients, the GraphQL endpoint.',
    },
    {
      name: 'documentation',
      address: reference(DOCUMENTATION),
      title: 'REST documentation',
      description: 'The contract, with a form to try each operation.',
    },
    ...(guides.length > 0 ? [ofGuides] : []),
    {
      name: 'openapi',
      address: reference(`${basePath}/openapi.json`),
      title: 'OpenAPI document',
      description: 'The contract as JSON, for tools.',
    },
    {
      name: 'openapiYaml',
      address: reference(`${basePath}/openapi.yaml`),
      title: 'OpenAPI document as YAML',
      description: 'The contract as YAML, easier to read and compare.',
    },
    ...(graphqlIntrospection ? [schema] : []),
    {
      name: 'liveness',
      address: reference(LIVE),
      title: 'Liveness',
      description: 'Whether this process is running.',
    },
    {
      name: 'readiness',
      address: reference(READY),
      title: 'Readiness',
      description: 'Whether it is ready for requests.',
    },
  ];
}

const HOME = '/';

/** Returns the pages that the header links to, except the landing page, to which the store's name links. */
function pagesOf({ guides }: Frame) {
  return [
    { path: GRAPHQL_PATH, name: 'GraphiQL' },
    { path: DOCUMENTATION, name: 'REST documentation' },
    ...(guides.length > 0 ? [{ path: GUIDES, name: 'Guides' }] : []),
  ];
}

/**
 * Renders the header of every page: the store's name, the links between pages and, if the page uses a key, the field for it.
 * Below it is the element in which browser/outage.js reports that the service does not respond.
 *
 * @param path the path of the current page, or of any page in the same folder
 */
function renderHeader(
  frame: Frame,
  { path, usesKey }: { readonly path: string; readonly usesKey: boolean },
): string {
  const { title, icon, keyField } = frame;
  const attributes = (target: string): string =>
    `href="${referenceTo(target, { from: path })}"${currentOf(target, path)}`;
  const links = pagesOf(frame).map(
    (page) => `<li><a ${attributes(page.path)}>${page.name}</a></li>`,
  );
  return `<header class="site">
      <a class="brand" ${attributes(HOME)}><svg viewBox="0 0 16 16" aria-hidden="true">${icon}</svg>${title}</a>
      <nav aria-label="Pages"><ul>
        ${links.join('\n        ')}
      </ul></nav>${usesKey ? `\n      ${keyField}` : ''}
    </header>${usesKey ? '\n    <p id="outage" class="controls" role="status"></p>' : ''}`;
}

/** Marks the link to the current page, or to the list that the page belongs to. */
function currentOf(target: string, path: string): string {
  if (target === path) {
    return ' aria-current="page"';
  }
  return target !== HOME && path.startsWith(`${target}/`) ? ' aria-current="true"' : '';
}

export const HTML = 'text/html; charset=utf-8';

/**
 * Returns the Content-Security-Policy sources of every page: this service and inline images. To sign people in, pages also send
 * requests to the identity provider.
 */
export function pageSources({ providerOrigin }: Pick<Frame, 'providerOrigin'>) {
  return {
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ['data:'],
    connectSrc: ["'self'", ...(providerOrigin === undefined ? [] : [providerOrigin])],
  };
}

const STYLES = ['base.css', 'header.css'];
/** The assets of pages that send requests. */
const KEY_STYLES = ['api-key.css'];
const KEY_SCRIPTS = ['api-key.js', 'outage.js'];

interface PageParts {
  /** The path of the page, or of any page in the same folder, because all references are relative. */
  readonly path: string;
  /** The page's title, as HTML like `head` and `body`. */
  readonly title: string;
  /** The page's own style sheets and modules, in addition to the common ones. */
  readonly styles: readonly string[];
  readonly scripts: readonly string[];
  /** Whether the page sends requests. If so, it has the API key field, and reports when the service does not respond. */
  readonly usesKey?: boolean;
  /** The address that references are relative to. Defaults to the page's own. */
  readonly base?: string;
  /** The id of the skip link's target, which follows the header and any other content to skip. */
  readonly skipTo?: string;
  /** Additional elements of `<head>`. */
  readonly head?: string;
  /** The markup after the header. */
  readonly body: string;
}

/** Renders a page with the common head and header. */
export function renderPage(frame: Frame, page: PageParts): string {
  const { path, title, styles, scripts, usesKey = true, base, skipTo, head = '', body } = page;
  const allStyles = [...STYLES, ...(usesKey ? KEY_STYLES : []), ...styles];
  const allScripts = [...(usesKey ? KEY_SCRIPTS : []), ...scripts];
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">${base === undefined ? '' : `\n    <base href="${base}">`}
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="icon" href="${iconUrl(frame)}">
    ${loadAssets(frame.assets, path, allStyles, allScripts)}
    ${head}
  </head>
  <body>
    ${skipTo === undefined ? '' : `<a class="skip" href="#${skipTo}">Skip to the content</a>\n    `}${renderHeader(frame, { path, usesKey })}
    ${body}
  </body>
</html>
`;
}

/** Returns the icon's data URL. With it, browsers don't request /favicon.ico. */
function iconUrl({ icon }: Frame): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="#0b8f63">${icon}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

/**
 * The folder of all scripts and style sheets. Its path has a single segment, because scripts take the folder above it as the
 * service's root.
 */
export const ASSETS = '/assets';

/** The scripts and style sheets of all pages, by name. */
type Assets = ReadonlyMap<string, URL>;

const OWN = new URL('browser/', import.meta.url);
const IMPORT = /\bfrom '\.\/([^']+)';$/gm;

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/** @param name the name of a script, a style sheet or a font */
export function mediaTypeOf(name: string): string {
  const extension = extname(name);
  return MEDIA_TYPES[extension] ?? `font/${extension.slice(1)}`;
}

/** The OAuth client that signs people in. It doesn't import other modules. */
const OAUTH = new URL(import.meta.resolve('oauth4webapi'));

/** Finds the assets of the gateway and the REST documentation, and a landing page's style sheets and script folder. */
function findAssets({ styles, script }: LandingPage): Assets {
  const reference = new URL(import.meta.resolve('@store-gateway/rest/browser/base.css'));
  const folders = [OWN, new URL('./', reference), new URL('./', script)];
  const files = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => extname(name) in MEDIA_TYPES)
      .map((name) => new URL(name, folder)),
  );
  const named = [...files, ...styles].map((file) => [basename(file.pathname), file] as const);
  return new Map([...named, ['oauth4webapi.js', OAUTH]]);
}

export function createAssets(assets: Assets): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router.use(protectPage({}));
  for (const [name, file] of assets) {
    router.all(
      `/${name}`,
      servePublicDocument(async () =>
        preparePublicDocument(await readFile(file), mediaTypeOf(name)),
      ),
    );
  }
  return router;
}

/**
 * Returns the elements that load a page's style sheets and modules all at once. Otherwise, the browser would request imported
 * modules only after the importing ones have arrived.
 *
 * @param path the page's path, to which references are relative
 */
function loadAssets(
  assets: Assets,
  path: string,
  styles: readonly string[],
  scripts: readonly string[],
): string {
  const reference = (name: string) => referenceTo(`${ASSETS}/${name}`, { from: path });
  const modules = new Set<string>();
  for (const script of scripts) {
    addModule(modules, script, assets);
  }
  return [
    ...styles.map((name) => `<link rel="stylesheet" href="${reference(name)}">`),
    ...Array.from(modules, (name) => `<link rel="modulepreload" href="${reference(name)}">`),
    ...scripts.map((name) => `<script type="module" src="${reference(name)}"></script>`),
  ].join('\n    ');
}

/** Adds a module and everything that it imports. */
function addModule(modules: Set<string>, name: string, assets: Assets): void {
  const file = assets.get(name);
  if (file !== undefined && !modules.has(name)) {
    modules.add(name);
    for (const [, imported = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      addModule(modules, imported, assets);
    }
  }
}
