import { onFileFinished } from './clean-up.ts';
import { startReplicatedPostgres } from './replicated-postgres.ts';

/** A primary and its one streaming replica, until the tests of the file are over. */
export async function startPrimaryAndReplica(settings: Readonly<Record<string, string>> = {}) {
  const postgres = await startReplicatedPostgres({ replicas: 1, settings });
  onFileFinished(() => postgres[Symbol.asyncDispose]());
  const { primary, replicas } = postgres;
  const [replica] = replicas;
  if (replica === undefined) throw new Error('there is one');
  return { primary, replica };
}
