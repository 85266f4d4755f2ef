import { html, type Html } from '@store-gateway/http';
import { componentsOf, inWords, nodeOf, textOf } from '../openapi.ts';
import type { Header } from '../operations.ts';
import { factsOf, membersOf } from '../schemas.ts';
import { renderBadge, renderMeanings, renderMembers, renderType } from './members.ts';
import type { Rendering } from './rendering.ts';

/** Renders the schemas that are components. */
export function renderSchemas(rendering: Rendering): Html {
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
export function renderHeaders(
  { markdown }: Rendering,
  headers: readonly Header[],
): Html | undefined {
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
