import { Marked } from 'marked';
import { escapeHtml, type Html } from '@store-gateway/http';
import type { OpenApi } from '../openapi.ts';

/** What all parts of a page are rendered with. */
export interface Rendering {
  readonly openApi: OpenApi;
  readonly markdown: Markdown;
  /** The base address of code samples. */
  readonly server: string;
  /** Begins the path of each operation. */
  readonly basePath: string;
}

/** Renders CommonMark, as descriptions are (OpenAPI 3.1, 4.4). */
interface Markdown {
  readonly paragraphs: (text: string) => Html;
  readonly line: (text: string) => Html;
}

/** @param addresses where code such as `GET /things` leads to: by method and path */
export function createMarkdown(addresses: ReadonlyMap<string, string>): Markdown {
  const marked = new Marked({
    async: false,
    renderer: {
      codespan: ({ text }) => {
        const code = `<code>${escapeHtml(text)}</code>`;
        const address = addresses.get(text.split('?')[0] ?? '');
        return address === undefined ? code : `<a href="#${escapeHtml(address)}">${code}</a>`;
      },
      // Markup in a description is text, and a link a link to a page: not `javascript:`.
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
