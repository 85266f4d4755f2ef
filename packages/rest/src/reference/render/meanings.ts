import { html, type Html } from '@store-gateway/http';
import { meaningsOf } from '../schemas.ts';
import type { Rendering } from './rendering.ts';

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
