import type { FencedBlock } from './fenced-blocks.ts';

/**
 * Whether a page shows what has come. In what is shown, `…` within a line stands for any text, and alone on a line for
 * any lines. JSON may have other space between its tokens. What came may have more members in its JSON, null as they are
 * that a page is older than. All else is as it came, but for the last line break.
 */
export function isShown({ language, text }: FencedBlock, output: string): boolean {
  const normal = language === 'json' ? withoutSpace : (json: string) => json;
  const pattern = normal(text)
    .split('\n')
    .map((line) =>
      line === '…'
        ? '(?:.*\n)*?'
        : `${line
            .split('…')
            .map((part) => RegExp.escape(part))
            .join('.*')}\n`,
    )
    .join('');
  return new RegExp(`^${pattern}$`).test(`${withoutNulls(normal(output), text).trimEnd()}\n`);
}

/** Without the members of JSON that are null and not in a text. */
function withoutNulls(json: string, text: string): string {
  return json.replaceAll(/,("\w+"):null(?=[,}])/g, (member, name) =>
    text.includes(String(name)) ? member : '',
  );
}

/** JSON without the space between its tokens. Numbers keep their digits. */
function withoutSpace(json: string): string {
  return json.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
}
