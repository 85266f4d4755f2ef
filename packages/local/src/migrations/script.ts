import { historyTable } from './apply.ts';
import { type MigrationSource, readSources } from './history.ts';

/**
 * A script that makes the tables of an empty database, those of the histories included, which are left empty. It is no
 * transaction, since a migration may commit.
 *
 * @param isEarlier whether they are to have the earlier names of the sources
 */
export async function migrationScript(
  sources: readonly MigrationSource[],
  isEarlier: boolean,
): Promise<string> {
  const read = await readSources(sources);
  // By the history of a later source, a migration knows a database that an earlier version has made.
  const histories = isEarlier ? read.map(({ table }) => historyTable(table)) : [];
  const scripts = read.flatMap(({ table, earlier, migrations }) =>
    [historyTable(table)].concat(
      migrations.map(({ script }) => (isEarlier ? (earlier?.inSql(script) ?? script) : script)),
    ),
  );
  const parts = [...histories, ...scripts];
  // On a line of its own: a script may end with a comment.
  return parts.map((part) => `${part}\n;\n`).join('\n');
}
