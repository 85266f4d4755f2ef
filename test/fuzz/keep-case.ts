import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { exchangeFromJson, exchangeToJson } from './exchange-json.ts';
import type { Exchange } from './exchange.ts';
import type { Finding } from './run-round.ts';

const CASES = join(import.meta.dirname, 'cases');

/**
 * Writes what was found to a file that is replayed from then on (cases.test.ts), if it is committed.
 *
 * @returns its path in this repository
 */
export async function keepCase(seed: number, { number, exchange }: Finding): Promise<string> {
  const file = join(CASES, `seed-${seed}-exchange-${number}.json`);
  await writeFile(file, `${exchangeToJson(exchange)}\n`);
  return relative(join(import.meta.dirname, '..', '..'), file);
}

/** All cases that are kept, by the names of their files. */
export async function keptCases(): Promise<[name: string, exchange: Exchange][]> {
  const names = (await readdir(CASES)).filter((name) => name.endsWith('.json'));
  return Promise.all(
    names.map(async (name) => [
      name.slice(0, -'.json'.length),
      exchangeFromJson(await readFile(join(CASES, name), 'utf8')),
    ]),
  );
}
