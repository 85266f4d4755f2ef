/** Rows of cells as lines of text, the columns aligned to the left. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_cell, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const pad = (cell: string, column: number) => cell.padEnd(widths[column] ?? 0);
  return rows.map((row) => `${row.map(pad).join('  ').trimEnd()}\n`).join('');
}
