import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { joinEmbeddedPostgres } from '../src/database/embedded/join.ts';
import { migrationsFolder } from '../src/database/migrations/files.ts';
import { StartupFailure } from '../src/startup-failure.ts';
import { describeDrift } from './describe-drift.ts';

const usage = `Usage: npm run db:migration -- NAME

Writes the migration that leads from prisma/migrations to prisma/schema.prisma, as
prisma/migrations/<time>_NAME/migration.sql. It needs no network and no database: it uses
an embedded PostgreSQL in a temporary folder. NAME consists of a-z, 0-9 and _.
`;

async function driftFromScratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'create-migration-'));
  try {
    // As root, PostgreSQL runs as another user, who must be able to enter.
    await chmod(folder, 0o755);
    const postgres = await joinEmbeddedPostgres(join(folder, 'data'));
    try {
      return await describeDrift(postgres.url);
    } finally {
      await postgres.leave();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function createMigration(name: string): Promise<string> {
  const script = await driftFromScratch();
  if (script === '') return 'No change: the migrations agree with prisma/schema.prisma.\n';
  const time = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const folder = `${time}_${name}/`;
  await mkdir(new URL(folder, migrationsFolder));
  await writeFile(new URL(`${folder}migration.sql`, migrationsFolder), script);
  return `Wrote prisma/migrations/${folder}migration.sql. Read it before you commit it.\n`;
}

const [name = '', ...others] = process.argv.slice(2);
if (name === '--help' || name === '-h') {
  process.stdout.write(usage);
} else if (others.length > 0 || !/^[a-z0-9_]+$/.test(name)) {
  process.stderr.write(`NAME must be one word of a-z, 0-9 and _.\n\n${usage}`);
  process.exitCode = 1;
} else {
  try {
    process.stdout.write(await createMigration(name));
  } catch (error) {
    if (!(error instanceof StartupFailure)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
