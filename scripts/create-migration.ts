import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandFailure } from '@gateway/command-line/command-failure';
import type { Command } from '@gateway/command-line/command';
import { runIfMain } from '@gateway/command-line/run-command';
import { joinEmbeddedPostgres } from '@gateway/embedded-postgres/join';
import { embeddedNames } from '../packages/gateway/src/database/application-name.ts';
import { gateway } from '../src/gateway.ts';
import { describeDrift } from './describe-drift.ts';

const HELP = `Writes the migration that leads from prisma/migrations to prisma/schema.prisma.

  npm run --silent db:migration -- NAME

It becomes prisma/migrations/<time>_NAME/migration.sql; NAME is made of a-z, 0-9 and _. This needs no
network and no database: it uses an embedded PostgreSQL in a temporary folder.

Exit codes: 0 done, 1 failed, 2 usage error.
`;

async function driftFromScratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'create-migration-'));
  try {
    // As root, PostgreSQL runs as another user, who must be able to enter.
    await chmod(folder, 0o755);
    const postgres = await joinEmbeddedPostgres(join(folder, 'data'), embeddedNames(gateway));
    try {
      return await describeDrift(postgres.url);
    } finally {
      await postgres.leave();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Writes a migration into the folder of all, unless its script is empty.
 *
 * @returns what to tell the user
 */
export async function writeMigration(name: string, script: string, folder: URL): Promise<string> {
  if (script === '') return 'No change: the migrations agree with prisma/schema.prisma.\n';
  const time = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const own = `${time}_${name}/`;
  await mkdir(new URL(own, folder));
  await writeFile(new URL(`${own}migration.sql`, folder), script);
  return `Wrote prisma/migrations/${own}migration.sql. Read it before you commit it.\n`;
}

export const dbMigration: Command = {
  name: 'db:migration',
  help: HELP,
  options: {},
  read: ({ positionals: [name = '', ...rest] }) => {
    if (rest.length > 0 || !/^[a-z0-9_]+$/.test(name)) {
      throw new CommandFailure(2, 'NAME must be one word of a-z, 0-9 and _; see --help');
    }
    return async () => writeMigration(name, await driftFromScratch(), gateway.prisma.migrations);
  },
};

await runIfMain(import.meta, dbMigration);
