import { expect, test } from 'vitest';
import { keptCases } from './kept-cases.ts';
import { LEAKS } from './leaks.ts';
import { faultsOf } from './play.ts';
import { openServed } from './serve.ts';

const served = [await openServed(), await openServed()] as const;
const kept = await keptCases();

test.each(kept)('%s tells of no hidden row', async (_name, each) => {
  expect(await faultsOf(each, served)).toEqual([]);
});

/** Found by the property while a resolver went past the rules. */
const found = kept.flatMap(([name, each]) => {
  const leak = LEAKS.find((known) => name === `leak-${known.replaceAll(' ', '-')}`);
  return leak === undefined ? [] : [{ leak, each }];
});

test.each(found)(
  'a gateway that goes past the rules is found out: $leak',
  async ({ leak, each }) => {
    expect(await faultsOf(each, served, leak)).not.toEqual([]);
  },
);
