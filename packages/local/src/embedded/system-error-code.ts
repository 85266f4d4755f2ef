/** The code of a file system error (`ENOENT`) or of a PostgreSQL one (`57P03`), if it has one. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}

/** What a file system call resolves to; undefined if what it is about doesn't exist. @throws any other error of the call */
export async function ifExists<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
