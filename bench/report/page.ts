import { readFile, writeFile } from 'node:fs/promises';

const BEGIN = '<!-- What follows is written by npm run bench. -->\n';
const END = '<!-- What was written by npm run bench ends here. -->\n';

/** The page with its results replaced; what stands before and behind them stays. @throws Error */
export function withResults(page: string, results: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end < begin) throw new Error('the page has no place for the results');
  return `${page.slice(0, begin + BEGIN.length)}\n${results}\n${page.slice(end)}`;
}

/** Writes the results into a page, below a picture of them. */
export async function writePage(path: string, picture: string, results: string): Promise<void> {
  const image = `![Requests per second of each server, by work](${picture})\n`;
  await writeFile(path, withResults(await readFile(path, 'utf8'), `${image}\n${results}`));
}
