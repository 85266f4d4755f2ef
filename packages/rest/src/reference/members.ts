import { escapeHtml, html, type Html } from '@store-gateway/http';
import { Marked } from 'marked';
import { factsOf, meaningsOf, type membersOf, type OpenApi, schemaComponentOf } from './openapi.ts';

type Member = ReturnType<typeof membersOf>[number];

/** Renders parameters or an object's members: name, type, constraints and description. */
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

/** Renders a link to the schema if it is a component. */
export function renderType(schema: unknown): Html | undefined {
  const component = schemaComponentOf(schema);
  return component === undefined
    ? undefined
    : html`<a href="#/schemas/${component}">${component}</a> · `;
}

/** Returns the URL fragment of an enum value, for an enum that is a component. */
export const valueId = (component: string, value: string): string =>
  `/schemas/${component}/${value}`;

interface Table {
  /** The name of the enum's component. */
  readonly component: string;
  /** The heading of the column of values. */
  readonly heading: string;
  /** The values to list, with links to the table of all values. By default, the table of all values is rendered. */
  readonly only?: ReadonlySet<unknown>;
}

/** Renders a table of the meanings of an enum's values, if they are described. */
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

/** Separates the part of a description about a deprecation (`Deprecated since …`) from the rest. */
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

/** The context for rendering all parts of a page. */
export interface Rendering {
  readonly openApi: OpenApi;
  readonly markdown: Markdown;
  /** The base address of code samples. */
  readonly server: string;
  /** The prefix of each operation's path. */
  readonly basePath: string;
}

/** Renders CommonMark, the format of descriptions (OpenAPI 3.1, 4.4). */
interface Markdown {
  readonly paragraphs: (text: string) => Html;
  readonly line: (text: string) => Html;
}

/** @param addresses the URL fragments, by method and path, that code such as `GET /things` links to */
export function createMarkdown(addresses: ReadonlyMap<string, string>): Markdown {
  const marked = new Marked({
    async: false,
    renderer: {
      codespan: ({ text }) => {
        const code = `<code>${escapeHtml(text)}</code>`;
        const address = addresses.get(text.split('?')[0] ?? '');
        return address === undefined ? code : `<a href="#${escapeHtml(address)}">${code}</a>`;
      },
      // HTML in a description is shown as text. Only links over HTTP or HTTPS are rendered, so `javascript:` links aren't.
      html: ({ text }) => escapeHtml(text),
      link({ href, tokens }) {
        const content = this.parser.parseInline(tokens);
        const url = URL.parse(href);
        return url !== null && /^https?:$/.test(url.protocol)
          ? `<a href="${escapeHtml(url.href)}">${content}</a>`
          : content;
      },
      image: ({ text }) => escapeHtml(text),
    },
  });
  return {
    paragraphs: (text) => ({ markup: marked.parse(text, { async: false }) }),
    line: (text) => ({ markup: marked.parseInline(text, { async: false }) }),
  };
}
