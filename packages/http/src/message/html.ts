/** Markup that needs no escaping. */
export interface Html {
  /** As it is written into a page. */
  readonly markup: string;
}

/** Text is escaped; what isn't there leaves nothing. */
type Content = Html | string | number | undefined | readonly Content[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** A template of markup, whose values are escaped unless they are markup themselves. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  return { markup: String.raw({ raw: strings }, ...values.map(markupOf)) };
}

/** Text as it may stand in HTML, within an element or a quoted attribute. */
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
