import { Client } from 'pg';
import type { HonestReport } from './honest-client.ts';

/** The database behind the service, looked at from aside. */
export interface Auditor extends AsyncDisposable {
  /**
   * What is wrong with the animals that are there: one of the honest client's is missing, changed or there twice,
   * or one is there of which the client was told that it was refused. Removes them all.
   *
   * @param refused the tags of exchanges of which nothing was answered but refusals
   */
  readonly audit: (honest: HonestReport, refused: ReadonlySet<string>) => Promise<string[]>;
}

export async function openAuditor(databaseUrl: string): Promise<Auditor> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  return {
    audit: async ({ added, unsure }, refused) => {
      const { rows } = await client.query<{ id: string; name: string }>(
        'SELECT id, name FROM pets',
      );
      await client.query('TRUNCATE pets');
      const honest = rows.filter(({ name }) => name.startsWith('honest ') && !unsure.has(name));
      const found = new Map(honest.map(({ id, name }) => [id, name]));
      return [
        ...(honest.length === added.size
          ? []
          : [`${added.size} animals were added honestly, and ${honest.length} are there`]),
        ...Array.from(added)
          .filter(([id, name]) => found.get(id) !== name)
          .map(([id, name]) => `animal ${id} is ${found.get(id)}, not ${name}`),
        ...rows
          .filter(({ name }) => refused.has(name))
          .map(({ name }) => `"${name}" is there, and was refused`),
      ];
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
