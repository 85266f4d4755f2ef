import { Client } from 'pg';
import { runPackageScript } from '../../bench/processes/command.ts';
import { createLedger, type StoredAnimal } from '../support/ledger.ts';

/** The number of animals before an attack, with the ids from 1 to this number. */
export const PETS = 5000;

/** The keys of the attacker and of two honest clients. */
export interface Keys {
  /** The key of the client that starts before the attack. */
  readonly known: string;
  /** The key of the client that starts during the attack. */
  readonly late: string;
  readonly attacker: string;
}

/** Adds animals and keys to the store of an environment. */
export async function fillStore(env: NodeJS.ProcessEnv): Promise<Keys> {
  const { signal } = new AbortController();
  const createKey = (name: string) => runPackageScript('keys', ['create', name], env, signal);
  await runPackageScript('seed', [String(PETS)], env, signal);
  return {
    known: await createKey('known'),
    late: await createKey('late'),
    attacker: await createKey('attacker'),
  };
}

/** The faults of the honest clients' stored animals, given the responses that these clients received. */
export async function bookkeepingFaults(
  { known, late }: Readonly<Record<'known' | 'late', readonly { name: string; id: string }[]>>,
  databaseUrl: string,
): Promise<string[]> {
  const ledger = createLedger();
  const names = new Set<string>();
  for (const { name, id } of [...known, ...late].filter((answer) => answer.name !== '')) {
    names.add(name);
    ledger.asked(name, { repeatable: false });
    if (id !== '') ledger.acknowledged(name, id);
  }
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const text = "SELECT id, name FROM pets WHERE name LIKE 'honest-%'";
    const { rows } = await client.query<StoredAnimal>(text);
    // Ignore animals from the warm-up.
    return ledger.faults(rows.filter(({ name }) => names.has(name)));
  } finally {
    await client.end();
  }
}
