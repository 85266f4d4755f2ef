import { Client } from 'pg';
import { runPackageScript } from '../../bench/processes/command.ts';

/** How many animals there are before an attack, with the ids 1 to that. */
export const PETS = 5000;

/** Keys of two honest clients, and of the attacker. */
export interface Keys {
  /** Of one that is there before the attack. */
  readonly known: string;
  /** Of one that comes in the middle of it. */
  readonly late: string;
  readonly attacker: string;
}

/** Fills a database, by the commands of the checkout that is to use it. */
export async function fillStore(root: string, env: NodeJS.ProcessEnv): Promise<Keys> {
  const { signal } = new AbortController();
  const createKey = (name: string) => runPackageScript('keys', ['create', name], env, signal, root);
  await runPackageScript('seed', [String(PETS)], env, signal, root);
  return {
    known: await createKey('known'),
    late: await createKey('late'),
    attacker: await createKey('attacker'),
  };
}

/** The animals of honest clients: ids by names, each once. */
export async function honestAnimals(databaseUrl: string): Promise<{ id: string; name: string }[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const text = "SELECT id, name FROM pets WHERE name LIKE 'honest-%'";
    return (await client.query<{ id: string; name: string }>(text)).rows;
  } finally {
    await client.end();
  }
}
