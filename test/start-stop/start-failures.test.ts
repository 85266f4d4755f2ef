import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { connectClient } from '../support/connect-client.ts';
import { failedStart } from '../support/service.ts';
import { startRefusal } from '../support/start-refusal.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { emptyDatabase } from '../support/new-database.ts';

interface UnusableFolder {
  readonly what: string;
  /** The existing path, and its mode. */
  readonly there: readonly [string, number];
  readonly dataDirectory: string;
  readonly message: (data: string) => string;
}

// Permissions do not stop root, but they stop the user that PostgreSQL then runs as.
const UNUSABLE_FOLDERS: readonly UnusableFolder[] =
  process.getuid?.() === 0
    ? [
        {
          what: "that PostgreSQL's user cannot reach",
          there: ['closed', 0o700],
          dataDirectory: 'closed/new/data',
          message: (data) =>
            `DATA_DIR (${data}) cannot be reached by PostgreSQL, which refuses to run as root and so runs as the user USER: ${dirname(dirname(data))} does not let other users in; run chmod o+x on that folder, or set DATA_DIR to a folder that others can enter, such as one in /var/lib`,
        },
        {
          what: 'that belongs to root',
          there: ['data/postgres', 0o755],
          dataDirectory: 'data',
          message: (data) =>
            `The database in ${data}/postgres (DATA_DIR) belongs to root, and PostgreSQL refuses to run as root: give it to another user with chown -R`,
        },
      ]
    : [
        {
          what: 'that its user cannot reach',
          there: ['closed', 0],
          dataDirectory: 'closed/new/data',
          message: (data) =>
            `DATA_DIR (${data}) cannot be used: EACCES: permission denied, realpath '${data}'`,
        },
        {
          what: 'that its user cannot create',
          there: ['readable', 0o555],
          dataDirectory: 'readable/data',
          message: (data) =>
            `DATA_DIR (${data}) cannot be used: EACCES: permission denied, mkdir '${data}'`,
        },
      ];

test.each(UNUSABLE_FOLDERS)(
  'startup with a data folder $what fails and creates nothing',
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

test('startup with a file as the data folder fails', async () => {
  await using directory = await temporaryDirectory();
  const data = join(directory.path, 'file');
  await writeFile(data, '');
  expect(await startRefusal({ dataDirectory: data })).toBe(
    `DATA_DIR (${data}) cannot be used: ENOTDIR: not a directory, stat '${data}/postgres'`,
  );
});

test("startup with another machine's address as HOST fails and creates no first key", async () => {
  const databaseUrl = await emptyDatabase();
  // A documentation address, which no machine has (RFC 5737).
  expect(await failedStart({ DATABASE_URL: databaseUrl, HOST: '192.0.2.1' })).toBe(
    'HOST: cannot listen on 192.0.2.1:0 (EADDRNOTAVAIL); set HOST to an address of this machine',
  );
  const client = await connectClient(databaseUrl);
  expect((await client.query('SELECT * FROM _gateway_api_keys')).rows).toEqual([]);
});
