import { html, type Html } from '@store-gateway/http';
import { inLines } from '../openapi.ts';
import type { Operation } from '../operations.ts';
import { membersOf } from '../schemas.ts';
import { renderBadge, renderMembers, renderType, splitEnd } from './members.ts';
import { renderResponses } from './responses.ts';
import type { Rendering } from './rendering.ts';
import { renderSamples } from './samples.ts';
import { renderTryIt } from './try-it.ts';

/** Renders what an operation accepts and responds with, and beside it code samples, an example and a form to try it out. */
export function renderOperation(operation: Operation, rendering: Rendering): Html {
  const { id, method, path, summary, responses } = operation;
  return html`<section class="operation" id="${id}" aria-labelledby="${id}/title">
    <header>
      <h3 id="${id}/title"><a href="#${id}">${summary}</a>${renderBadges(operation)}</h3>
      <p class="address">
        <span class="method ${method}">${method}</span> <code>${rendering.basePath}${path}</code>
        ${renderScopes(operation)}
      </p>
    </header>
    <div class="contract">
      ${renderDescription(operation, rendering)} ${renderParameters(operation, rendering)}
      ${renderBody(operation, rendering)}
    </div>
    <div class="panel">
      ${renderSamples(operation, rendering.server)}
      ${responses.slice(0, 1).map(
        ({ status, hasBody, examples }) =>
          html`<figure>
            <figcaption>
              Response <span class="status" data-class="${status.slice(0, 1)}">${status}</span>${
                hasBody ? undefined : html` <span class="facts">without a body</span>`
              }
            </figcaption>
            ${examples.slice(0, 1).map((each) => html`<pre><code>${inLines(each)}</code></pre>`)}
          </figure>`,
      )}
      ${renderTryIt(operation, rendering)}
    </div>
    ${renderResponses(responses, rendering)}
  </section>`;
}

function renderScopes({ scopes }: Operation): Html | undefined {
  return scopes.length === 0
    ? undefined
    : html`<span class="facts"
        >${scopes.length === 1 ? 'scope' : 'scopes'} <code>${scopes.join(' ')}</code></span
      >`;
}

/** Renders an operation's stability, unless it is stable, and whether it is deprecated. */
export function renderBadges({ stability, deprecated }: Operation): readonly Html[] {
  const words = [
    ...(stability === '' || stability === 'stable' ? [] : [stability]),
    ...(deprecated ? ['deprecated'] : []),
  ];
  return words.map(renderBadge);
}

/** Renders an operation's description, with its deprecation (`Deprecated since …`) set apart. */
function renderDescription(operation: Operation, { markdown }: Rendering): Html {
  const { end, rest } = splitEnd(operation);
  return html`${
      operation.deprecated
        ? html`<div class="deprecation" role="note">
            ${markdown.paragraphs(end || 'Deprecated.')}
          </div>`
        : undefined
    }
    <div class="prose">${markdown.paragraphs(rest)}</div>`;
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
