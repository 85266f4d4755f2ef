import { html, type Html } from '../html.ts';
import { createMarkdown } from '../markdown.ts';
import { listOf, nodeOf, readOpenApi, textOf } from '../openapi.ts';
import { operationsOf, type Operation } from '../operations.ts';
import { renderHeaders, renderSchemas, schemaNames } from './components.ts';
import { renderOperation } from './operation.ts';
import type { Rendering } from './rendering.ts';

/** Stands in code samples for a server's URL that isn't absolute: the page's script knows it. */
const BASE_URL = 'BASE_URL';

export interface Reference {
  /** The operations with links to them. */
  readonly navigation: Html;
  /** Title, description, operations, schemas and headers. */
  readonly content: Html;
}

/** Renders an OpenAPI 3.1 document, given as JSON, as a page's parts. */
export function renderReference(document: string): Reference {
  const openApi = readOpenApi(document);
  const operations = operationsOf(openApi);
  const addresses = operations.map(({ method, path, id }) => [`${method} ${path}`, id] as const);
  const server = textOf(nodeOf(listOf(openApi.root['servers'])[0])['url']);
  const rendering: Rendering = {
    openApi,
    markdown: createMarkdown(new Map(addresses)),
    server: URL.canParse(server) ? server : BASE_URL,
  };
  const tags = listOf(openApi.root['tags']).map((tag) => {
    const { name, description } = nodeOf(tag);
    return { name: textOf(name), description: textOf(description) };
  });
  const tagged = (name: string) => operations.filter(({ tag }) => tag === name);
  const info = nodeOf(openApi.root['info']);
  return {
    navigation: html`${tags.map(
        ({ name }) =>
          html`<h2><a href="#/${name}">${name}</a></h2>
            <ul>
              ${tagged(name).map(link)}
            </ul>`,
      )}
      <h2><a href="#/schemas">schemas</a></h2>
      <ul>
        ${schemaNames(openApi).map(
          (name) =>
            html`<li>
              <a href="#/schemas/${name}"><span>${name}</span></a>
            </li>`,
        )}
      </ul>
      <h2><a href="#/headers">response headers</a></h2>`,
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
      ${renderSchemas(rendering)} ${renderHeaders(rendering, operations)}`,
  };
}

function link({ id, method, summary, deprecated }: Operation): Html {
  const note = deprecated ? html` <span class="badge">deprecated</span>` : undefined;
  return html`<li>
    <a href="#${id}"
      ><span class="method ${method}">${method}</span> <span>${summary}${note}</span></a
    >
  </li>`;
}
