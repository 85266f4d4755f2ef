import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The repository's root. */
export const ROOT = join(import.meta.dirname, '..', '..');

export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string;
}

/** A folder that the user whom PostgreSQL runs as under root can enter too. */
export async function temporaryFolder(): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(await realpath(tmpdir()), 'animal-store-bench-'));
  await chmod(path, 0o755);
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}
