import { Marked, Renderer, type Token, type Tokens } from 'marked';
import { escapeHtml } from '@store-gateway/http';

/** Creates a function that gives headings the same ids as GitHub, so that a link to a section works in both places. */
function createHeadingIds(): (text: string) => string {
  const counts = new Map<string, number>();
  return (text) => {
    const id = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const count = counts.get(id) ?? 0;
    counts.set(id, count + 1);
    return count === 0 ? id : `${id}-${count}`;
  };
}

/** The parts of a guide, as HTML. */
export interface Guide {
  readonly title: string;
  /** The first paragraph, which names the guide's audience. */
  readonly lead: string;
  readonly content: string;
}

const COMMENT = /<!--[^]*?-->/g;

/** @param addressOf returns the address of a link on the page, or undefined to make it plain text */
export function renderGuide(
  markdown: string,
  addressOf: (reference: string) => string | undefined,
): Guide {
  const marked = new Marked();
  const renderer = new GuideRenderer(addressOf);
  const tokens = marked.lexer(markdown);
  const content = marked.parser(tokens, { renderer });
  const { parser } = renderer;
  const firstOf = (type: string): Token[] => {
    const token = tokens.find((each) => each.type === type);
    return token !== undefined && 'tokens' in token ? (token.tokens ?? []) : [];
  };
  return {
    title: escapeHtml(parser.parseInline(firstOf('heading'), parser.textRenderer)),
    lead: parser.parseInline(firstOf('paragraph')),
    content,
  };
}

class GuideRenderer extends Renderer {
  readonly #addressOf: (reference: string) => string | undefined;
  readonly #idOf = createHeadingIds();

  constructor(addressOf: (reference: string) => string | undefined) {
    super();
    this.#addressOf = addressOf;
  }

  override heading({ tokens, depth }: Tokens.Heading): string {
    const id = this.#idOf(this.parser.parseInline(tokens, this.parser.textRenderer));
    return `<h${depth} id="${escapeHtml(id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
  }

  override link({ href, tokens }: Tokens.Link): string {
    const content = this.parser.parseInline(tokens);
    const address = this.#addressOf(href);
    return address === undefined ? content : `<a href="${escapeHtml(address)}">${content}</a>`;
  }

  override image({ text }: Tokens.Image): string {
    return escapeHtml(text);
  }

  /** Drops comments, which only tests read, and escapes all other markup, so that guides need not be trusted. */
  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return escapeHtml(text.replaceAll(COMMENT, ''));
  }

  // Code and tables that are wider than the page can be scrolled, even by keyboard.
  override code({ text }: Tokens.Code): string {
    return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
  }

  override table(token: Tokens.Table): string {
    return `<div class="table" tabindex="0" role="group" aria-label="Table">${super.table(token)}</div>\n`;
  }
}
