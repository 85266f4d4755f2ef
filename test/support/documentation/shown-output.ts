import type { FencedBlock } from './fenced-blocks.ts';

/**
 * Whether a page shows what has come. In what is shown, `…` within a line stands for any text, and alone on a line for
 * any lines. JSON may have other space between its tokens. All else is as it came, but for the last line break.
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
  return new RegExp(`^${pattern}$`).test(`${normal(output).trimEnd()}\n`);
}

/** JSON without the space between its tokens. Numbers keep their digits. */
function withoutSpace(json: string): string {
  return json.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
}
