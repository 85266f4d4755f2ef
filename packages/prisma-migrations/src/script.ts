import { historyTable } from './apply-migration.ts';
import { type MigrationSource, readSources } from './history.ts';

/**
 * A script that makes the tables of an empty database, those of the histories included, which are left empty. It is no
 * transaction, since a migration may commit.
 */
export async function migrationScript(sources: readonly MigrationSource[]): Promise<string> {
  const read = await readSources(sources);
  const parts = read.flatMap(({ table, migrations }) =>
    [historyTable(table)].concat(migrations.map(({ script }) => script)),
  );
  // On a line of its own: a script may end with a comment.
  return parts.map((part) => `${part}\n;\n`).join('\n');
}
