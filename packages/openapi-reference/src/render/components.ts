import { inWords } from '../examples.ts';
import { html, type Html } from '../html.ts';
import { nodeOf, textOf } from '../openapi.ts';
import { factsOf, membersOf } from '../schemas.ts';
import { renderMembers, renderType } from './members.ts';
import type { Rendering } from './rendering.ts';

/** The schemas that operations share. */
export function renderSchemas(rendering: Rendering): Html {
  const { openApi, markdown } = rendering;
  const schemas = Object.entries(nodeOf(nodeOf(openApi.root['components'])['schemas']));
  return html`<section id="/schemas">
    <h2>Schemas</h2>
    ${schemas.map(
      ([name, schema]) =>
        html`<section class="component" id="/schemas/${name}">
          <h3>
            <a href="#/schemas/${name}">${name}</a>
            <span class="facts">${renderType(schema)}${factsOf(openApi, schema).join(' · ')}</span>
          </h3>
          <div class="prose">${markdown.paragraphs(textOf(nodeOf(schema)['description']))}</div>
          ${nodeOf(schema)['items'] === undefined ? renderMembers(membersOf(openApi, schema), rendering) : undefined}
        </section>`,
    )}
  </section>`;
}

/** The response headers that operations share. */
export function renderHeaders({ openApi, markdown }: Rendering): Html {
  const headers = Object.entries(nodeOf(nodeOf(openApi.root['components'])['headers']));
  return html`<section id="/headers">
    <h2>Response headers</h2>
    <dl class="members">
      ${headers.map(([name, header]) => {
        const { description, example } = nodeOf(header);
        return html`<div id="/headers/${name}">
          <dt><code>${name}</code></dt>
          <dd>
            ${markdown.line(textOf(description))}
            <span class="facts">Example: <code>${inWords(example)}</code></span>
          </dd>
        </div>`;
      })}
    </dl>
  </section>`;
}
