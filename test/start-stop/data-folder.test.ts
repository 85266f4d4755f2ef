import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { startRefusal } from '../support/start-refusal.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

interface UnusableFolder {
  readonly what: string;
  /** The path and the mode of what is there. */
  readonly there: readonly [string, number];
  readonly dataDirectory: string;
  readonly message: (data: string) => string;
}

// What keeps a user out does not keep root out, but the user that PostgreSQL runs as then.
const UNUSABLE_FOLDERS: readonly UnusableFolder[] =
  process.getuid?.() === 0
    ? [
        {
          what: "which PostgreSQL's user cannot reach",
          there: ['closed', 0o700],
          dataDirectory: 'closed/new/data',
          message: (data) =>
            `DATA_DIR (${data}) cannot be reached by PostgreSQL, which refuses to run as root and so runs as the user USER: ${dirname(dirname(data))} does not let other users in; run chmod o+x on that folder, or set DATA_DIR to a folder that others can enter, such as one in /var/lib`,
        },
        {
          what: 'which belongs to root',
          there: ['data/postgres', 0o755],
          dataDirectory: 'data',
          message: (data) =>
            `The database in ${data}/postgres (DATA_DIR) belongs to root, and PostgreSQL refuses to run as root: give it to another user with chown -R`,
        },
      ]
    : [
        {
          what: 'which its user cannot reach',
          there: ['closed', 0],
          dataDirectory: 'closed/new/data',
          message: (data) =>
            `DATA_DIR (${data}) cannot be used: EACCES: permission denied, realpath '${data}'`,
        },
        {
          what: 'which its user cannot make',
          there: ['readable', 0o555],
          dataDirectory: 'readable/data',
          message: (data) =>
            `DATA_DIR (${data}) cannot be used: EACCES: permission denied, mkdir '${data}'`,
        },
      ];

test.each(UNUSABLE_FOLDERS)(
  'a data folder $what is told in one line, and nothing is made',
  async ({ there: [path, mode], dataDirectory, message }) => {
    await using directory = await temporaryDirectory();
    const there = join(directory.path, path);
    await mkdir(there, { recursive: true });
    const before = await readdir(directory.path, { recursive: true });
    await chmod(there, mode);
    const data = join(directory.path, dataDirectory);

    const told = await startRefusal({ dataDirectory: data });
    expect(told.replace(/(?<=runs as the user )(?:postgres|nobody)/, 'USER')).toBe(message(data));
    await chmod(there, 0o755);
    expect(await readdir(directory.path, { recursive: true })).toEqual(before);
  },
);

test('a file in the place of the data folder is told in one line', async () => {
  await using directory = await temporaryDirectory();
  const data = join(directory.path, 'file');
  await writeFile(data, '');
  expect(await startRefusal({ dataDirectory: data })).toBe(
    `DATA_DIR (${data}) cannot be used: ENOTDIR: not a directory, stat '${data}/postgres'`,
  );
});
