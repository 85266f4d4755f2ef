import { type Html, html } from '@store-gateway/http';
import {
  componentsOf,
  factsOf,
  headersOf,
  inWords,
  listOf,
  meaningsOf,
  membersOf,
  nodeOf,
  type Operation,
  operationsOf,
  readOpenApi,
  textOf,
  valuesOf,
} from './reference/openapi.ts';
import { renderBadges, renderOperation } from './reference/operation.ts';
import {
  createMarkdown,
  renderBadge,
  type Rendering,
  renderMeanings,
  renderMembers,
  renderType,
  valueId,
} from './reference/members.ts';

type Header = ReturnType<typeof headersOf>[number];

/** The placeholder in code samples for a server URL that isn't absolute. The page's script replaces it. */
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
    // The document's base URL is unknown, so a relative server URL is resolved against the root.
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

/** Renders the schemas that are components. */
function renderSchemas(rendering: Rendering): Html {
  const { openApi, markdown } = rendering;
  const schemas = componentsOf(openApi, 'schemas');
  return html`<section id="/schemas">
    <h2>Schemas</h2>
    ${schemas.map(
      ([name, schema]) =>
        html`<section class="component" id="/schemas/${name}">
          <h3>
            <a href="#/schemas/${name}">${name}</a>
            <span class="facts">${renderType(schema)}${factsOf(openApi, schema).join(' · ')}</span>
            ${nodeOf(schema)['deprecated'] === true ? renderBadge('deprecated') : undefined}
          </h3>
          <div class="prose">${markdown.paragraphs(textOf(nodeOf(schema)['description']))}</div>
          ${renderMeanings({ component: name, heading: 'value' }, schema, rendering)}
          ${nodeOf(schema)['items'] === undefined ? renderMembers(membersOf(openApi, schema), rendering) : undefined}
        </section>`,
    )}
  </section>`;
}

/** Renders the response headers that are components. */
function renderHeaders({ markdown }: Rendering, headers: readonly Header[]): Html | undefined {
  if (headers.length === 0) {
    return undefined;
  }
  return html`<section id="/headers">
    <h2>Response headers</h2>
    <dl class="members">
      ${headers.map(
        ({ id, name, description, example, users }) =>
          html`<div id="${id}">
            <dt>
              <code>${name}</code>
              ${users.map(
                (operation) =>
                  html`<a class="facts" href="#${operation.id}">${operation.summary}</a> `,
              )}
            </dt>
            <dd>
              ${markdown.line(description)}
              <span class="facts">Example: <code>${inWords(example)}</code></span>
            </dd>
          </div>`,
      )}
    </dl>
  </section>`;
}

/**
 * Renders links to all operations and schemas, which the page's script filters. Links to headers, and to enum values with a
 * description, are hidden until a search finds them.
 */
function renderNavigation(
  rendering: Rendering,
  groups: ReadonlyMap<string, readonly Operation[]>,
  headers: readonly Header[],
): Html {
  const { openApi } = rendering;
  const schemas = componentsOf(openApi, 'schemas');
  return html`<search hidden>
      <label class="unseen" for="search">Search operations, schemas and codes</label>
      <input
        id="search"
        type="search"
        placeholder="Search ( / )"
        aria-keyshortcuts="/"
        autocomplete="off"
        spellcheck="false"
      />
      <p class="facts" role="status"></p>
    </search>
    ${Array.from(groups, ([tag, operations]) =>
      renderGroup(
        `/${tag}`,
        tag,
        operations.map((operation) => renderEntry(operation, rendering)),
      ),
    )}
    ${renderGroup('/schemas', 'schemas', [
      ...schemas.map(([name, schema]) =>
        renderLink(`/schemas/${name}`, name, [
          ...membersOf(openApi, schema).map((member) => member.name),
          // Values with a description have their own entries.
          ...(meaningsOf(openApi, schema).size === 0 ? valuesOf(openApi, schema) : []),
        ]),
      ),
      ...schemas.flatMap(([name, schema]) =>
        Array.from(meaningsOf(openApi, schema), ([value, meaning]) =>
          renderDetail(valueId(name, value), value, [meaning]),
        ),
      ),
    ])}
    ${
      headers.length === 0
        ? undefined
        : renderGroup(
            '/headers',
            'response headers',
            headers.map(({ id, name, users }) =>
              renderDetail(id, name, [], users.map(({ summary }) => summary).join(', ')),
            ),
          )
    }`;
}

function renderGroup(id: string, name: string, items: readonly Html[]): Html {
  return html`<div class="group">
    <h2><a href="#${id}">${name}</a></h2>
    <ul>
      ${items}
    </ul>
  </div>`;
}

function renderEntry(operation: Operation, { basePath }: Rendering): Html {
  const { id, method, path, summary, parameters } = operation;
  const names = parameters.map(({ name }) => name).join(' ');
  return html`<li data-words="${basePath}${path} ${id} ${names}">
    <a href="#${id}"
      ><span class="method ${method}">${method}</span>
      <span>${summary}${renderBadges(operation)}</span></a
    >
  </li>`;
}

/** @param words additional words by which a search finds the link */
function renderLink(id: string, text: string, words: readonly string[]): Html {
  return html`<li data-words="${words.join(' ')}">
    <a href="#${id}"><span>${text}</span></a>
  </li>`;
}

/** Renders a link that is hidden until a search finds it. */
function renderDetail(id: string, text: string, words: readonly string[], facts = ''): Html {
  return html`<li class="detail" data-words="${words.join(' ')}" hidden>
    <a href="#${id}"><code>${text}</code> <span class="facts">${facts}</span></a>
  </li>`;
}
