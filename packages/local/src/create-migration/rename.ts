import { escapeIdentifier } from 'pg';
import { CommandFailure } from '@store-gateway/ops/command-line';

/**
 * The statement of a rename: `old:new` of a table, `table.old:new` of a column, all as the database names them.
 *
 * @throws CommandFailure if it is neither
 */
export function renameStatement(rename: string): string {
  const { table, from, to } =
    /^(?:(?<table>[^.:]+)\.)?(?<from>[^.:]+):(?<to>[^.:]+)$/.exec(rename)?.groups ?? {};
  if (from === undefined || to === undefined) {
    throw new CommandFailure(2, `--rename must be TABLE.OLD:NEW or OLD:NEW, not ${rename}`);
  }
  const [old, renamed] = [escapeIdentifier(from), escapeIdentifier(to)];
  return table === undefined
    ? `ALTER TABLE ${old} RENAME TO ${renamed};\n`
    : `ALTER TABLE ${escapeIdentifier(table)} RENAME COLUMN ${old} TO ${renamed};\n`;
}
