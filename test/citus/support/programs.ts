import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { promisify } from 'node:util';
import { requireProgram } from '../../cluster/support/program.ts';

/** The folder of PostgreSQL 15's programs on Debian. */
export const PROGRAMS = '/usr/lib/postgresql/15/bin';

const LIBRARY = '/usr/lib/postgresql/15/lib/citus.so';

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * Unpacks Citus if it is not installed and the variable CITUS_ARCHIVE names a tar of its files, relative to the root.
 *
 * @throws Error that says what is missing
 */
export async function requireCitus(): Promise<void> {
  await requireProgram(`${PROGRAMS}/postgres`, 'postgresql-15');
  if (await exists(LIBRARY)) return;
  // oxlint-disable-next-line node/no-process-env -- Debian has no Citus package, so the machine provides an archive
  const archive = process.env['CITUS_ARCHIVE'];
  if (archive === undefined) {
    throw new Error(
      `No ${LIBRARY}: install Citus for PostgreSQL 15, or set CITUS_ARCHIVE to a tar of its files`,
    );
  }
  await promisify(execFile)('tar', ['xf', archive, '--no-same-owner', '-C', '/']);
}
