import { html, type Html } from '@store-gateway/http';
import { factsOf, meaningsOf, schemaComponentOf, type Member } from '../schemas.ts';
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

/** The fragment of a value of an enumeration that is a component. */
export const valueId = (component: string, value: string): string =>
  `/schemas/${component}/${value}`;

interface Table {
  /** The component that is the enumeration. */
  readonly component: string;
  /** Of the column of values. */
  readonly heading: string;
  /** The values to list; by default all, where the others lead. */
  readonly only?: ReadonlySet<unknown>;
}

/** A table of what the values of an enumeration mean, if it says so. */
export function renderMeanings(
  { component, heading, only }: Table,
  schema: unknown,
  { openApi, markdown }: Rendering,
): Html | undefined {
  const rows = [...meaningsOf(openApi, schema)].filter(([value]) => only?.has(value) ?? true);
  if (rows.length === 0) {
    return undefined;
  }
  return html`<table class="meanings">
    <thead>
      <tr>
        <th scope="col">${heading}</th>
        <th scope="col">Meaning</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map(([value, meaning]) => {
        const id = valueId(component, value);
        const code = html`<code>${value}</code>`;
        return html`<tr ${only ? undefined : html`id="${id}"`}>
          <th scope="row">${only ? html`<a href="#${id}">${code}</a>` : code}</th>
          <td>${markdown.line(meaning)}</td>
        </tr>`;
      })}
    </tbody>
  </table>`;
}

/** Apart from the rest of a description: what it says of the end of something deprecated (`Deprecated since …`). */
export function splitEnd({ description, deprecated }: Pick<Member, 'description' | 'deprecated'>): {
  readonly end: string;
  readonly rest: string;
} {
  const paragraphs = description.split('\n\n');
  const end = paragraphs.filter((text) => deprecated && text.startsWith('Deprecated'));
  const rest = paragraphs.filter((text) => !end.includes(text));
  return { end: end.join('\n\n'), rest: rest.join('\n\n') };
}

export function renderBadge(word: string): Html {
  return html` <span class="badge ${word}">${word}</span>`;
}
