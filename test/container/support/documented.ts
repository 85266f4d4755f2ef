import { readFile } from 'node:fs/promises';
import { fencedBlocks } from '../../support/documentation/fenced-blocks.ts';

/** The first block of a page of the documentation that contains some text. */
export async function documented(page: string, part: string): Promise<string> {
  const markdown = await readFile(new URL(`../../../${page}`, import.meta.url), 'utf8');
  const block = fencedBlocks(markdown).find(({ text }) => text.includes(part));
  if (block === undefined) {
    throw new Error(`no block of ${page} has ${part}`);
  }
  return block.text;
}
