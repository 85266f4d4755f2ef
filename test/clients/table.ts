import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const PAGE = join(import.meta.dirname, '../../docs/clients.md');

/** The rows of the first table under a heading of docs/clients.md: the cells of each by the column's name. */
export async function documentedTable(heading: string): Promise<Record<string, string>[]> {
  const [, section = ''] = (await readFile(PAGE, 'utf8')).split(`\n## ${heading}\n`);
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section) ?? [];
  const [columns = [], , ...rows] = table.trimEnd().split('\n').map(cellsOf);
  return rows.map((cells) =>
    Object.fromEntries(columns.map((name, index) => [name, cells[index] ?? ''])),
  );
}

function cellsOf(line: string): string[] {
  const cells = line.split('|').slice(1, -1);
  return cells.map((cell) => cell.trim());
}
