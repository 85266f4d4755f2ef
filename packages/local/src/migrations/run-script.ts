import type { MigrationSession } from './session.ts';

/** Up to its semicolon: comments, strings, quoted names and dollar-quoted bodies may have others. */
const STATEMENT =
  /(?:--[^\n]*|\/\*[^]*?\*\/|e'(?:\\[^]|[^'\\])*'|'[^']*'|"[^"]*"|[\p{L}_][\p{L}\d_$]*|\$([\p{L}_][\p{L}\d_]*)?\$[^]*?\$\1\$|[^;])+;?/giu;

const COMMENTS = /--[^\n]*|\/\*[^]*?\*\//g;

/**
 * Runs the script of a migration, all of it or nothing: as one message, so that a single statement, such as a DO block, may
 * commit in between. Citus sends the whole message to its workers with each statement in it, so to a sharded database they
 * are sent one by one.
 */
export async function runScript(session: MigrationSession, script: string): Promise<void> {
  const statements = (script.match(STATEMENT) ?? []).filter(
    (part) => part.replaceAll(COMMENTS, '').trim() !== '',
  );
  if (!session.isSharded || statements.length < 2) {
    await session.query(script);
    return;
  }
  await session.query('BEGIN');
  // Otherwise it refuses, for example, a new type after rows of all shards were changed.
  await session.query("SET LOCAL citus.multi_shard_modify_mode = 'sequential'");
  for (const statement of statements) {
    await session.query(statement);
  }
  await session.query('COMMIT');
}
