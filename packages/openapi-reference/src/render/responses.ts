import { inLine } from '../examples.ts';
import { html, type Html } from '../html.ts';
import { componentOf, textOf } from '../openapi.ts';
import type { Response } from '../operations.ts';
import { renderType } from './members.ts';
import type { Rendering } from './rendering.ts';

/** A line for each, which opens: what all have in common would fill screens. */
export function renderResponses(responses: readonly Response[], rendering: Rendering): Html {
  return html`<div class="responses">
    <h4>Responses</h4>
    ${responses.map(
      (response) =>
        html`<details>
          <summary>
            <span class="status" data-class="${response.status.slice(0, 1)}"
              >${response.status}</span
            >
            <span>${rendering.markdown.line(response.description)}</span>
          </summary>
          ${renderBody(response)} ${renderHeaders(response, rendering)}
        </details>`,
    )}
  </div>`;
}

function renderBody({ schema, examples }: Response): Html | undefined {
  return schema === undefined
    ? undefined
    : html`<p class="facts">Body: ${renderType(schema)}application/json</p>
        <pre><code>${examples.map(inLine).join('\n')}</code></pre>`;
}

/** Shared ones lead to their description, others have it here. */
function renderHeaders({ headers }: Response, { openApi, markdown }: Rendering): Html {
  const all = Object.entries(headers);
  const own = all.filter(([, header]) => componentOf(header) === undefined);
  const shared = all.flatMap(([name, header]) => {
    const component = componentOf(header);
    return component === undefined
      ? []
      : [html`<a href="#/headers/${component}"><code>${name}</code></a> `];
  });
  return html`<p class="facts">Headers: ${shared}</p>
    <dl class="members">
      ${own.map(
        ([name, header]) =>
          html`<div>
            <dt><code>${name}</code></dt>
            <dd>${markdown.line(textOf(openApi.resolve(header)['description']))}</dd>
          </div>`,
      )}
    </dl>`;
}
