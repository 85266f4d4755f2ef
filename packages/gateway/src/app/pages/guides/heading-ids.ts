/** Gives the headings of a page ids as GitHub does, so that a link to a section works in both places. */
export function createHeadingIds(): (text: string) => string {
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
