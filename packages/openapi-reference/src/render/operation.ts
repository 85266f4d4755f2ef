import { inLines } from '../examples.ts';
import { html, type Html } from '../html.ts';
import type { Operation } from '../operations.ts';
import { membersOf } from '../schemas.ts';
import { renderMembers, renderType } from './members.ts';
import { renderResponses } from './responses.ts';
import type { Rendering } from './rendering.ts';
import { renderSamples } from './samples.ts';
import { renderTryIt } from './try-it.ts';

/** What an operation takes and responds with; beside it code samples, an example and a form to try it out. */
export function renderOperation(operation: Operation, rendering: Rendering): Html {
  const { id, method, path, summary, stability, deprecated, responses } = operation;
  return html`<section class="operation" id="${id}" aria-labelledby="${id}/title">
    <header>
      <h3 id="${id}/title">
        <a href="#${id}">${summary}</a
        >${deprecated ? html` <span class="badge">deprecated</span>` : undefined}
      </h3>
      <p class="address">
        <span class="method ${method}">${method}</span> <code>${path}</code>${
          stability === 'stable' ? undefined : html` <span class="badge">${stability}</span>`
        }
      </p>
    </header>
    <div class="contract">
      ${renderDescription(operation, rendering)} ${renderParameters(operation, rendering)}
      ${renderBody(operation, rendering)}
    </div>
    <div class="panel">
      ${renderSamples(operation, rendering.server)}
      ${responses.slice(0, 1).map(
        ({ status, examples }) =>
          html`<figure>
            <figcaption>
              Response <span class="status" data-class="${status.slice(0, 1)}">${status}</span>
            </figcaption>
            <pre><code>${examples.slice(0, 1).map(inLines)}</code></pre>
          </figure>`,
      )}
      ${renderTryIt(operation, rendering)}
    </div>
    ${renderResponses(responses, rendering)}
  </section>`;
}

/** What a deprecation says (`Deprecated since …`) is set off from the rest. */
function renderDescription({ description, deprecated }: Operation, { markdown }: Rendering): Html {
  const paragraphs = description.split('\n\n');
  const end = paragraphs.filter((text) => deprecated && text.startsWith('Deprecated'));
  const rest = paragraphs.filter((text) => !end.includes(text));
  return html`${
      deprecated
        ? html`<div class="deprecation" role="note">
            ${markdown.paragraphs(end.join('\n\n') || 'Deprecated.')}
          </div>`
        : undefined
    }
    <div class="prose">${markdown.paragraphs(rest.join('\n\n'))}</div>`;
}

function renderParameters({ parameters }: Operation, rendering: Rendering): Html | undefined {
  return parameters.length === 0
    ? undefined
    : html`<h4>Parameters</h4>
        ${renderMembers(parameters, rendering)}`;
}

function renderBody({ body }: Operation, rendering: Rendering): Html | undefined {
  return (
    body &&
    html`<h4>
        Request body <span class="facts">${renderType(body.schema)}${body.mediaType}</span>
      </h4>
      ${renderMembers(membersOf(rendering.openApi, body.schema), rendering)}`
  );
}
