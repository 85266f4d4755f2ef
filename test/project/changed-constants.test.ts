import { glob, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { bundleOf } from '../../packages/gateway/src/bundle.ts';
import { changedChunk } from '../support/changed-sources.ts';
import { LASTING_KEYS, PATIENCE } from '../support/constants.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

test.each([...PATIENCE, ...LASTING_KEYS])(
  'the bundle contains $text from $file exactly once, so that tests can change it',
  async (change) => {
    const chunks: string[] = [];
    for await (const file of glob(`${bundleOf(ROOT)}*.mjs`)) {
      const source = await readFile(file, 'utf8');
      const changed = changedChunk(source, change);
      if (changed !== source) chunks.push(changed);
    }
    expect(chunks).toEqual([expect.stringContaining(change.replacement)]);
  },
);
