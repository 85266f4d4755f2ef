import { html, type Html } from '@store-gateway/http';
import { componentOf, inLine, nodeOf } from '../openapi.ts';
import type { Response } from '../operations.ts';
import { membersOf } from '../schemas.ts';
import { renderMeanings, renderType } from './members.ts';
import type { Rendering } from './rendering.ts';

/**
 * Renders a line that opens for each response. Those that other operations share are grouped in one more line, because they
 * would fill whole screens.
 */
export function renderResponses(responses: readonly Response[], rendering: Rendering): Html {
  const shared = responses.filter(({ isShared }) => isShared);
  return html`<div class="responses">
    <h4>Responses</h4>
    ${responses.map((each) => (each.isShared ? undefined : renderResponse(each, rendering)))}
    ${
      shared.length === 0
        ? undefined
        : html`<details>
            <summary>
              <span
                >As other operations:
                ${shared.map(
                  ({ status }) =>
                    html`<span class="status" data-class="${status.slice(0, 1)}">${status}</span> `,
                )}</span
              >
            </summary>
            ${shared.map((each) => renderResponse(each, rendering))}
          </details>`
    }
  </div>`;
}

function renderResponse(response: Response, rendering: Rendering): Html {
  const { status, description } = response;
  return html`<details>
    <summary>
      <span class="status" data-class="${status.slice(0, 1)}">${status}</span>
      <span>${rendering.markdown.line(description)}</span>
    </summary>
    ${renderCodes(response, rendering)} ${renderBody(response)} ${renderHeaders(response)}
  </details>`;
}

/** Renders the meanings of the enum values in a response's examples, such as error codes. */
function renderCodes({ schema, examples }: Response, rendering: Rendering): readonly Html[] {
  return membersOf(rendering.openApi, schema).flatMap(({ name, schema: ofMember }) => {
    const only = new Set(examples.map((example) => nodeOf(example)[name]));
    const table = { component: componentOf(ofMember) ?? '', heading: name, only };
    return renderMeanings(table, ofMember, rendering) ?? [];
  });
}

function renderBody({ hasBody, schema, examples }: Response): Html {
  return hasBody
    ? html`<p class="facts">Body: ${renderType(schema)}application/json</p>
        <pre><code>${examples.map(inLine).join('\n')}</code></pre>`
    : html`<p class="facts">No body.</p>`;
}

/** Renders the names of a response's headers. Those of components link to their description. */
function renderHeaders({ headers }: Response): Html | undefined {
  const names = Object.entries(headers).map(([name, header]) => {
    const component = componentOf(header);
    return component === undefined
      ? html`<code>${name}</code> `
      : html`<a href="#/headers/${component}"><code>${name}</code></a> `;
  });
  return names.length === 0 ? undefined : html`<p class="facts">Headers: ${names}</p>`;
}
