const FENCED_BLOCK = /^```[^]*?^```$/gm;

/** Where a page of Markdown leads to within the repository, such as `api.md#paging`. */
export function linksOf(markdown: string): string[] {
  const links = markdown.replaceAll(FENCED_BLOCK, '').matchAll(/\]\((?!https?:)([^)\s]+)\)/g);
  return Array.from(links, ([, link = '']) => link);
}

/** The anchors of a page's headings, as GitHub makes them. */
export function anchorsOf(markdown: string): string[] {
  return headingsOf(markdown).map(([anchor]) => anchor);
}

/** A page's headings in their order, each with its anchor. */
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

/** A page without its figures, whether they meet their targets, and the widths of columns. */
export function formOf(page: string): string {
  return page
    .replaceAll(/commit \w+/g, 'commit')
    .replaceAll(/\d[\d.,]*/g, '0')
    .replaceAll(/[<≥≤>] 0/g, 'target 0')
    .replaceAll(/-{3,}/g, '---')
    .replaceAll(/ +/g, ' ');
}
