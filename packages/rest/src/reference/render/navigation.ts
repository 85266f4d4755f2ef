import { html, type Html } from '@store-gateway/http';
import { componentsOf } from '../openapi.ts';
import type { Header, Operation } from '../operations.ts';
import { meaningsOf, membersOf, valuesOf } from '../schemas.ts';
import { valueId } from './members.ts';
import { renderBadges } from './operation.ts';
import type { Rendering } from './rendering.ts';

/**
 * Renders links to all operations and schemas, which the page's script filters. Described values and headers are hidden until a
 * search finds them.
 */
export function renderNavigation(
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
        operations.map((operation) => renderOperation(operation, rendering)),
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

function renderOperation(operation: Operation, { basePath }: Rendering): Html {
  const { id, method, path, summary, parameters } = operation;
  const names = parameters.map(({ name }) => name).join(' ');
  return html`<li data-words="${basePath}${path} ${id} ${names}">
    <a href="#${id}"
      ><span class="method ${method}">${method}</span>
      <span>${summary}${renderBadges(operation)}</span></a
    >
  </li>`;
}

/** @param words by which a search finds the link, besides its text */
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
