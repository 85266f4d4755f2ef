import { html, type Html } from '@store-gateway/http';

interface Described {
  readonly description: string;
  readonly deprecated: boolean;
}

/** Apart from the rest of a description: what it says of the end of something deprecated (`Deprecated since …`). */
export function splitEnd({ description, deprecated }: Described): {
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
