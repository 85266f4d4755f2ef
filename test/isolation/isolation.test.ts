import { EMBEDDED } from '../support/store-database.ts';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { joinEmbeddedPostgres } from '@store-gateway/local';
import { createDatabase, TEMPLATE } from '../support/database.ts';
import { createLedger } from '../support/ledger.ts';
import { measureStalls } from '../support/machine-stalls.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { Attack } from './attacks/attack.ts';
import { ATTACKS } from './attacks/attacks.ts';
import { fillStore, honestAnimals } from './store.ts';
import { type Trial, tryAttack } from './trial.ts';
import { failuresOf, isOfTime } from './verdict.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SECONDS = 6;
const TRIALS = 3;
const TIMEOUT = 240_000;

const stalls = await measureStalls();
afterAll(() => stalls[Symbol.asyncDispose]());

const postgresUrl = inject('postgresUrl');
const FILLED = 'template_isolation';
const filled = await createDatabase(postgresUrl, { name: FILLED, template: TEMPLATE });
const keys = await fillStore(ROOT, { DATABASE_URL: filled });

const trialOptions = { root: ROOT, seconds: SECONDS, stalls };

function named(attacks: readonly Attack[]): [string, Attack][] {
  return attacks.map((attack) => [attack.name, attack]);
}

/**
 * Where the promise was broken. That of 250 ms is for a machine that has nothing else to do: where nothing but that is
 * broken, the trial is repeated, and has to be in time once. Who starves another does so in all of them.
 */
async function failuresIn(attempt: () => Promise<Trial>): Promise<string[]> {
  let failures: string[] = [];
  for (let trials = 0; trials < TRIALS; trials += 1) {
    failures = failuresOf(await attempt());
    if (failures.length === 0 || !failures.every(isOfTime)) {
      break;
    }
  }
  return failures;
}

/** Expects that the animals of the honest clients are there as they were told. */
async function expectBookkeeping({ known, late }: Trial, databaseUrl: string): Promise<void> {
  const ledger = createLedger();
  for (const { added } of [...known, ...late]) {
    if (added === undefined) continue;
    ledger.asked(added.name, { repeatable: false });
    if (added.id !== undefined) ledger.acknowledged(added.name, added.id);
  }
  const acknowledged = new Set([...known, ...late].map(({ added }) => added?.name));
  const animals = await honestAnimals(databaseUrl);
  // Animals of the warm-up don't count.
  expect(ledger.faults(animals.filter(({ name }) => acknowledged.has(name)))).toEqual([]);
}

test.each(named(ATTACKS))(
  'another key is served while %s',
  async (_name, attack) => {
    const failures = await failuresIn(async () => {
      const databaseUrl = await createDatabase(postgresUrl, { template: FILLED });
      const env = { DATABASE_URL: databaseUrl };
      const trial = await tryAttack({ ...trialOptions, attack, env, keys });
      await expectBookkeeping(trial, databaseUrl);
      return trial;
    });
    expect(failures).toEqual([]);
  },
  TIMEOUT,
);

describe('with the embedded PostgreSQL', () => {
  test.each(named(ATTACKS.filter(({ name }) => /creates animals (?:in|on)|repeat/.test(name))))(
    'another key is served while %s',
    async (_name, attack) => {
      const failures = await failuresIn(async () => {
        await using directory = await temporaryDirectory();
        const env = { DATA_DIR: directory.path };
        const ownKeys = await fillStore(ROOT, env);
        const trial = await tryAttack({ ...trialOptions, attack, env, keys: ownKeys });
        const postgres = await joinEmbeddedPostgres(directory.path, EMBEDDED);
        try {
          await expectBookkeeping(trial, postgres.url);
        } finally {
          await postgres.leave();
        }
        return trial;
      });
      expect(failures).toEqual([]);
    },
    TIMEOUT,
  );
});
