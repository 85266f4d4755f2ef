/** The code of a file system error (`ENOENT`) or of a PostgreSQL one (`57P03`), if it has one. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
