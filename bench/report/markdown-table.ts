export type Row = readonly string[];

/**
 * Writes a table in Markdown with aligned columns, as Prettier writes it.
 *
 * @param alignment of each column, `l` or `r`
 */
export function markdownTable(header: Row, rows: readonly Row[], alignment: string): string {
  const widths = header.map((name, column) =>
    Math.max(3, name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const isRight = (column: number) => alignment[column] === 'r';
  const line = (row: Row) =>
    row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return isRight(column) ? cell.padStart(width) : cell.padEnd(width);
    });
  const rule = widths.map((width, column) =>
    isRight(column) ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width),
  );
  return [line(header), rule, ...rows.map(line)]
    .map((cells) => `| ${cells.join(' | ')} |\n`)
    .join('');
}
