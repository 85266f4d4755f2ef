import { isDeepStrictEqual } from 'node:util';
import { Client } from 'pg';
import { FORBIDDEN } from './exchange.ts';
import { VICTIMS } from './valid-requests.ts';

/** An animal as stored in the table, with integers as strings. */
export interface StoredAnimal {
  readonly id: string;
  readonly name: string;
  readonly categoryId: string;
  readonly status: string;
}

const REPLACE_WITH_VICTIMS = `TRUNCATE pets; INSERT INTO pets (id, name, category_id, status)
  SELECT id, 'victim', 1, 'sold' FROM generate_series(1, ${VICTIMS}) AS id`;

/** What the honest client has sent. */
export interface Sent {
  /** The animals that it has added, by id. */
  readonly added: ReadonlyMap<string, StoredAnimal>;
  /** The names of animals that may have been added although the request was rejected because of load. */
  readonly unsure: ReadonlySet<string>;
}

/** Checks the service's database. */
export interface Auditor {
  /**
   * Returns the faults of the stored animals, removes them all, and adds the victims again.
   *
   * @param refused the tags of exchanges that were only rejected
   */
  readonly audit: (honest: Sent, refused: ReadonlySet<string>) => Promise<string[]>;
}

export async function openAuditor(databaseUrl: string): Promise<Auditor & AsyncDisposable> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  // All later animals have different ids.
  await client.query("SELECT setval('pets_id_seq', $1)", [VICTIMS]);
  await client.query(REPLACE_WITH_VICTIMS);
  return {
    audit: async (honest, refused) => {
      const { rows } = await client.query<StoredAnimal>(
        'SELECT id::text, name, category_id::text AS "categoryId", status::text FROM pets',
      );
      await client.query(REPLACE_WITH_VICTIMS);
      return auditFaults(rows, honest, refused);
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** The faults of the stored animals, given what clients have sent and received. */
export function auditFaults(
  stored: readonly StoredAnimal[],
  { added, unsure }: Sent,
  refused: ReadonlySet<string>,
): string[] {
  const byId = new Map(stored.map((animal) => [animal.id, animal]));
  const possible = new Set(unsure);
  const faultsIf = (isFault: (animal: StoredAnimal) => boolean, what: string) =>
    stored.filter(isFault).map((animal) => `${JSON.stringify(animal)} is stored, ${what}`);
  return [
    ...[...added.values()]
      .filter((animal) => !isDeepStrictEqual(byId.get(animal.id), animal))
      .map((animal) => {
        const found = JSON.stringify(byId.get(animal.id) ?? 'nothing');
        return `${JSON.stringify(animal)} was added, and ${found} is stored`;
      }),
    ...faultsIf(
      // An animal that may have been added may be stored once.
      ({ id, name }) => name.startsWith('honest ') && !added.has(id) && !possible.delete(name),
      'and no client has added it',
    ),
    ...faultsIf(({ name }) => refused.has(name), 'and was refused'),
    ...faultsIf(({ name }) => name.startsWith(FORBIDDEN), 'and no client has asked for it'),
  ];
}
