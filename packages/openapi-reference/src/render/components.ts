import { inWords } from '../examples.ts';
import { html, type Html } from '../html.ts';
import { componentOf, nodeOf, textOf, type OpenApi } from '../openapi.ts';
import type { Operation } from '../operations.ts';
import { factsOf, membersOf } from '../schemas.ts';
import { renderMembers, renderType } from './members.ts';
import type { Rendering } from './rendering.ts';

export function schemaNames({ root }: OpenApi): string[] {
  return Object.keys(nodeOf(nodeOf(root['components'])['schemas']));
}

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

/** The response headers that are described as components, by the names under which responses have them. */
export function renderHeaders(
  { openApi, markdown }: Rendering,
  operations: readonly Operation[],
): Html {
  const uses = operations.flatMap((operation) =>
    operation.responses.flatMap(({ headers: ofResponse }) =>
      Object.entries(ofResponse).map(([name, header]) => ({
        operation,
        name,
        component: componentOf(header),
      })),
    ),
  );
  const headers = Object.entries(nodeOf(nodeOf(openApi.root['components'])['headers']));
  return html`<section id="/headers">
    <h2>Response headers</h2>
    <dl class="members">
      ${headers.map(([component, header]) => {
        const { description, example } = nodeOf(header);
        const used = uses.filter((use) => use.component === component);
        const [name = component] = used.map((use) => use.name);
        const users = new Set(used.map(({ operation }) => operation));
        const some = users.size === operations.length ? [] : [...users];
        return html`<div id="/headers/${component}">
          <dt>
            <code>${name}</code>
            ${some.map(({ id, summary }) => html`<a class="facts" href="#${id}">${summary}</a> `)}
          </dt>
          <dd>
            ${markdown.line(textOf(description))}
            <span class="facts">Example: <code>${inWords(example)}</code></span>
          </dd>
        </div>`;
      })}
    </dl>
  </section>`;
}
