/* oxlint-disable node/no-process-env -- the one place in which the peers read their environment */

/** What the harness passes to a peer: the address of the database, and the port to listen on (0: any). */
export const databaseUrl = process.env['DATABASE_URL'] ?? '';
export const port = Number(process.env['PORT'] ?? 0);
