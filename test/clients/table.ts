import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '@store-gateway/ops';

const DOCS = join(import.meta.dirname, '../../docs');

/** The rows of the table of clients in a page of docs: the cells of each by the column's name. */
export async function documentedClients(page: string): Promise<Record<string, string>[]> {
  const [, section = ''] = (await readPage(page)).split('\n## Other clients\n');
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section) ?? [];
  const [columns = [], , ...rows] = table.trimEnd().split('\n').map(cellsOf);
  return rows.map((cells) =>
    Object.fromEntries(columns.map((name, index) => [name, cells[index] ?? ''])),
  );
}

export function readPage(page: string): Promise<string> {
  return readFile(join(DOCS, page), 'utf8');
}

function cellsOf(line: string): string[] {
  const cells = line.split('|').slice(1, -1);
  return cells.map((cell) => cell.trim());
}

/** The version of a package that is installed for the tests of clients. */
export async function installedVersion(name: string): Promise<string> {
  const path = join(import.meta.dirname, 'node_modules', name, 'package.json');
  const manifest: unknown = JSON.parse(await readFile(path, 'utf8'));
  return isJsonObject(manifest) ? String(manifest['version']) : '';
}
