/** Markup that needs no escaping. */
export interface Html {
  /** The HTML to write into a page. */
  readonly markup: string;
}

/** A value in a template. Text is escaped, and undefined is omitted. */
type Content = Html | string | number | undefined | readonly Content[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Creates markup from a template, and escapes its values unless they are markup themselves. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  return { markup: String.raw({ raw: strings }, ...values.map(markupOf)) };
}

/** Escapes text for HTML, within an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

function markupOf(content: Content): string {
  if (content === undefined) {
    return '';
  }
  if (typeof content === 'string' || typeof content === 'number') {
    return escapeHtml(String(content));
  }
  return 'markup' in content ? content.markup : content.map(markupOf).join('');
}
