import { html, type Html } from '@store-gateway/http';
import { factsOf, schemaComponentOf, type Member } from '../schemas.ts';
import { renderBadge, splitEnd } from './deprecation.ts';
import type { Rendering } from './rendering.ts';

/** Parameters or an object's members: name, type, constraints and description. */
export function renderMembers(
  members: readonly (Member & { readonly place?: string })[],
  { openApi, markdown }: Rendering,
): Html | undefined {
  if (members.length === 0) {
    return undefined;
  }
  return html`<dl class="members">
    ${members.map(({ name, place, required, description, deprecated, schema }) => {
      const { end, rest } = splitEnd({ description, deprecated });
      return html`<div>
        <dt>
          <code>${name}</code>
          <span class="facts"
            >${place && `${place} · `}${renderType(schema)}${factsOf(openApi, schema).join(' · ')}</span
          >${required ? html` <span class="required">required</span>` : undefined}${
            deprecated ? renderBadge('deprecated') : undefined
          }
        </dt>
        <dd>
          ${markdown.line(rest)}${
            end === '' ? undefined : html` <span class="deprecated">${markdown.line(end)}</span>`
          }
        </dd>
      </div>`;
    })}
  </dl>`;
}

/** Leads to the schema if it is a component. */
export function renderType(schema: unknown): Html | undefined {
  const component = schemaComponentOf(schema);
  return component === undefined
    ? undefined
    : html`<a href="#/schemas/${component}">${component}</a> · `;
}
