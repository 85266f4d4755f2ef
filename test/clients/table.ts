import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '@store-gateway/ops';

const DOCS = join(import.meta.dirname, '../../docs');

/** Returns the rows of a docs page's table of clients, each with its cells by column name. */
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

/** Returns the version of a package that is installed for the client tests. */
export async function installedVersion(name: string): Promise<string> {
  const path = join(import.meta.dirname, 'node_modules', name, 'package.json');
  const manifest: unknown = JSON.parse(await readFile(path, 'utf8'));
  return isJsonObject(manifest) ? String(manifest['version']) : '';
}
