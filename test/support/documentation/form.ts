/** A page without its figures, whether they meet their targets, and the widths of columns. */
export function formOf(page: string): string {
  return page
    .replaceAll(/commit \w+/g, 'commit')
    .replaceAll(/\d[\d.,]*/g, '0')
    .replaceAll(/[<≥≤>] 0/g, 'target 0')
    .replaceAll(/-{3,}/g, '---')
    .replaceAll(/ +/g, ' ');
}
