import { html, type Html } from '@store-gateway/http';
import { listOf, nodeOf, readOpenApi, textOf } from './reference/openapi.ts';
import { headersOf, operationsOf } from './reference/operations.ts';
import { renderHeaders, renderSchemas } from './reference/render/components.ts';
import { renderNavigation } from './reference/render/navigation.ts';
import { renderOperation } from './reference/render/operation.ts';
import { createMarkdown, type Rendering } from './reference/render/rendering.ts';

/** Placeholder in code samples for a server URL that isn't absolute. The page's script replaces it. */
const BASE_URL = 'BASE_URL';

/** The parts of a page about an OpenAPI document. */
interface Reference {
  /** Links to the operations, schemas and headers. */
  readonly navigation: Html;
  /** Title, description, operations, schemas and headers. */
  readonly content: Html;
}

/** Renders the parts of a page from an OpenAPI 3.1 document in JSON. */
export function renderReference(document: string): Reference {
  const openApi = readOpenApi(document);
  const operations = operationsOf(openApi);
  const addresses = operations.map(({ method, path, id }) => [`${method} ${path}`, id] as const);
  const server = textOf(nodeOf(listOf(openApi.root['servers'])[0])['url']);
  const rendering: Rendering = {
    openApi,
    markdown: createMarkdown(new Map(addresses)),
    server: URL.canParse(server) ? server : BASE_URL,
    // The base of a relative URL isn't known, so it is resolved against the root.
    basePath: URL.parse(server, 'http://localhost')?.pathname.replace(/\/$/, '') ?? '',
  };
  const headers = headersOf(openApi, operations);
  const tags = listOf(openApi.root['tags']).map((tag) => {
    const { name, description } = nodeOf(tag);
    return { name: textOf(name), description: textOf(description) };
  });
  const tagged = (name: string) => operations.filter(({ tag }) => tag === name);
  const info = nodeOf(openApi.root['info']);
  return {
    navigation: renderNavigation(
      rendering,
      new Map(tags.map(({ name }) => [name, tagged(name)])),
      headers,
    ),
    content: html`<header class="intro">
        <h1>${textOf(info['title'])} <span class="version">${textOf(info['version'])}</span></h1>
        <div class="prose">${rendering.markdown.paragraphs(textOf(info['description']))}</div>
      </header>
      ${tags.map(
        ({ name, description }) =>
          html`<section id="/${name}">
            <h2>${name}</h2>
            ${rendering.markdown.paragraphs(description)}
            ${tagged(name).map((operation) => renderOperation(operation, rendering))}
          </section>`,
      )}
      ${renderSchemas(rendering)} ${renderHeaders(rendering, headers)}`,
  };
}
