import { readFile, writeFile } from 'node:fs/promises';

/** Who writes results into a page: npm run bench, npm run soak. */
export type Writer = 'bench' | 'soak';

/** The page with a writer's results replaced; what stands before and behind them stays. @throws Error */
export function withResults(page: string, writer: Writer, results: string): string {
  const first = `<!-- What follows is written by npm run ${writer}. -->\n`;
  const last = `<!-- What was written by npm run ${writer} ends here. -->\n`;
  const begin = page.indexOf(first);
  const end = page.indexOf(last);
  if (begin === -1 || end < begin) throw new Error('the page has no place for the results');
  return `${page.slice(0, begin + first.length)}\n${results}\n${page.slice(end)}`;
}

export interface Picture {
  readonly file: string;
  /** What it shows, for those who don't see it. */
  readonly title: string;
}

/** Writes results into a page, below a picture of them. */
export async function writePage(
  path: string,
  writer: Writer,
  { file, title }: Picture,
  results: string,
): Promise<void> {
  const page = await readFile(path, 'utf8');
  await writeFile(path, withResults(page, writer, `![${title}](${file})\n\n${results}`));
}
