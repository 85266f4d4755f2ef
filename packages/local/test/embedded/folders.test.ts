import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../test/support/test-folder.ts';
import { holdLease, LEASE, makeFolderAtomically } from '../../src/embedded/folders.ts';
import { flush } from '../../src/embedded/backup.ts';

/** Creates a draft whose lease was last renewed this number of minutes ago. */
async function draftOf(target: string, minutes: number): Promise<string> {
  const draft = `${target}.tmp-abcdef`;
  await mkdir(draft);
  (await holdLease(draft)).release();
  const then = new Date(Date.now() - minutes * 60_000);
  await utimes(join(draft, LEASE), then, then);
  return draft;
}

const fill = (draft: string) => writeFile(join(draft, 'file'), 'whole');

test.each(['photos.2019.tmp-backup', 'store.tmp-backup', 'store.123.tmp-abcdef'])(
  "the folder %s is kept, because it isn't a draft",
  async (name) => {
    const parent = await testFolder();
    await mkdir(join(parent, name));
    await writeFile(join(parent, name, 'picture'), 'of a cat');
    await makeFolderAtomically(join(parent, 'store'), fill);
    expect(await readFile(join(parent, name, 'picture'), 'utf8')).toBe('of a cat');
    expect(await readdir(join(parent, 'store'))).toEqual(['file']);
  },
);

test('a draft whose process died is removed; a draft that is being written is kept', async () => {
  const parent = await testFolder();
  const abandoned = await draftOf(join(parent, 'one'), 10);
  const live = await draftOf(join(parent, 'other'), 1);
  await makeFolderAtomically(join(parent, 'one'), fill);
  await makeFolderAtomically(join(parent, 'other'), fill);
  expect([abandoned, live].map((draft) => existsSync(draft))).toEqual([false, true]);
  expect(await readdir(parent)).toHaveLength(3);
});

test('makeFolderAtomically fails and publishes nothing if the draft is removed while it is written', async () => {
  const target = join(await testFolder(), 'store');
  const making = makeFolderAtomically(target, async (draft) => {
    await rm(draft, { recursive: true });
    await mkdir(draft);
    await fill(draft);
  });
  await expect(making).rejects.toThrow('was removed while it was being created');
  expect(existsSync(target)).toBe(false);
});

test('flushing a copy fails if one of its files was removed', async () => {
  const folder = await testFolder();
  await fill(folder);
  const paths = [folder, join(folder, 'file')];
  await flush(paths, undefined);
  await expect(flush([...paths, join(folder, 'lost')], undefined)).rejects.toThrow(
    'lost was removed',
  );
});
