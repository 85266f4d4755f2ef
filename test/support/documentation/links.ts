const FENCED_BLOCK = /^```[^]*?^```$/gm;

/** Returns the targets within the repository of a Markdown page's links, such as `api.md#paging`. */
export function linksOf(markdown: string): string[] {
  const links = markdown.replaceAll(FENCED_BLOCK, '').matchAll(/\]\((?!https?:)([^)\s]+)\)/g);
  return Array.from(links, ([, link = '']) => link);
}

/** Returns the anchors that GitHub generates for a page's headings. */
export function anchorsOf(markdown: string): string[] {
  return headingsOf(markdown).map(([anchor]) => anchor);
}

/** Returns a page's headings in order, each with its anchor. */
export function headingsOf(markdown: string): (readonly [anchor: string, heading: string])[] {
  const seen = new Map<string, number>();
  const headings = markdown.replaceAll(FENCED_BLOCK, '').matchAll(/^#+ (.+)$/gm);
  return Array.from(headings, ([, heading = '']) => {
    const anchor = heading
      .replaceAll(/\]\([^)]*\)/g, ']')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return [count === 0 ? anchor : `${anchor}-${count}`, heading];
  });
}

/** Returns a page without its figures, the verdicts on targets, and column widths. */
export function formOf(page: string): string {
  return page
    .replaceAll(/commit \w+/g, 'commit')
    .replaceAll(/\d[\d.,]*/g, '0')
    .replaceAll(/[<≥≤>] 0/g, 'target 0')
    .replaceAll(/-{3,}/g, '---')
    .replaceAll(/ +/g, ' ');
}
