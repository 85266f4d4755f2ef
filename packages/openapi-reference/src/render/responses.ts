import { inLine } from '../examples.ts';
import { html, type Html } from '../html.ts';
import { componentOf } from '../openapi.ts';
import type { Response } from '../operations.ts';
import { renderType } from './members.ts';
import type { Rendering } from './rendering.ts';

/** A line for each, which opens: what all have in common would fill screens. */
export function renderResponses(responses: readonly Response[], { markdown }: Rendering): Html {
  return html`<div class="responses">
    <h4>Responses</h4>
    ${responses.map(
      (response) =>
        html`<details>
          <summary>
            <span class="status" data-class="${response.status.slice(0, 1)}"
              >${response.status}</span
            >
            <span>${markdown.line(response.description)}</span>
          </summary>
          ${renderBody(response)} ${renderHeaders(response)}
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

/** Headers that are components link to their description. */
function renderHeaders({ headers }: Response): Html {
  const names = Object.entries(headers).map(([name, header]) => {
    const component = componentOf(header);
    return component === undefined
      ? html`<code>${name}</code> `
      : html`<a href="#/headers/${component}"><code>${name}</code></a> `;
  });
  return html`<p class="facts">Headers: ${names}</p>`;
}
