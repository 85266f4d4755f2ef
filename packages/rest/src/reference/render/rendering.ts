import { Marked } from 'marked';
import { escapeHtml, type Html } from '@store-gateway/http';
import type { OpenApi } from '../openapi.ts';

/** The context in which all parts of a page are rendered. */
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

/** @param addresses the fragments that code such as `GET /things` links to, by method and path */
export function createMarkdown(addresses: ReadonlyMap<string, string>): Markdown {
  const marked = new Marked({
    async: false,
    renderer: {
      codespan: ({ text }) => {
        const code = `<code>${escapeHtml(text)}</code>`;
        const address = addresses.get(text.split('?')[0] ?? '');
        return address === undefined ? code : `<a href="#${escapeHtml(address)}">${code}</a>`;
      },
      // HTML in a description is shown as text, and only links over HTTP or HTTPS are rendered: no `javascript:`.
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
