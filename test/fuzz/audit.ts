import { isDeepStrictEqual } from 'node:util';
import { Client } from 'pg';
import { FORBIDDEN } from './exchange.ts';
import type { HonestReport } from './honest-client.ts';
import type { StoredAnimal } from './stored-animal.ts';

/** Animals that hostile requests may get, change and delete by their ids, from 1 on. */
export const VICTIMS = 50;

const REPLACE_WITH_VICTIMS = `TRUNCATE pets; INSERT INTO pets (id, name, category_id, status)
  SELECT id, 'victim', 1, 'sold' FROM generate_series(1, ${VICTIMS}) AS id`;

/** The database behind the service, looked at from aside. */
export interface Auditor {
  /**
   * What is wrong with the animals that are there. Removes them all, and adds the victims again.
   *
   * @param refused the tags of exchanges of which nothing was answered but refusals
   */
  readonly audit: (
    honest: Pick<HonestReport, 'added' | 'unsure'>,
    refused: ReadonlySet<string>,
  ) => Promise<string[]>;
}

export async function openAuditor(databaseUrl: string): Promise<Auditor & AsyncDisposable> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  // All animals after it have other ids.
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

/**
 * What is wrong with the animals that are there: one of the honest client's is missing, changed, there twice, or there
 * though it knows nothing of it; one is there of which a client was told that it was refused; or one that can only
 * come of reading bytes wrongly.
 */
export function auditFaults(
  stored: readonly StoredAnimal[],
  { added, unsure }: Pick<HonestReport, 'added' | 'unsure'>,
  refused: ReadonlySet<string>,
): string[] {
  const byId = new Map(stored.map((animal) => [animal.id, animal]));
  const mayBe = new Set(unsure);
  return [
    ...[...added.values()]
      .filter((animal) => !isDeepStrictEqual(byId.get(animal.id), animal))
      .map((animal) => `${told(animal)} was added, and ${told(byId.get(animal.id))} is there`),
    ...stored
      .filter(({ id, name }) => name.startsWith('honest ') && !added.has(id))
      // Once: deleted when it is met, so that it is not there a second time.
      .filter(({ name }) => !mayBe.delete(name))
      .map((animal) => `${told(animal)} is there, and nobody has added it`),
    ...stored
      .filter(({ name }) => refused.has(name))
      .map((animal) => `${told(animal)} is there, and was refused`),
    ...stored
      .filter(({ name }) => name.startsWith(FORBIDDEN))
      .map((animal) => `${told(animal)} is there, and nobody has asked for it`),
  ];
}

function told(animal: StoredAnimal | undefined): string {
  return animal === undefined ? 'nothing' : JSON.stringify(animal);
}
