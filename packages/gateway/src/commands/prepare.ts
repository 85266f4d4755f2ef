import type { Gateway } from '../definition.ts';
import { setLogger } from '@store-gateway/ops';
import type { CommandIo } from '@store-gateway/ops/command-line';
import { readConfig } from '../config/config.ts';

/** Reads the configuration of a command, and how it waits for the database. @throws StartupFailure */
export async function prepare(
  { defaults }: Pick<Gateway, 'defaults'>,
  { env, stderr, catchSignals }: CommandIo,
  mayMakeStore: boolean,
) {
  const config = readConfig(env, defaults);
  // stdout is for the output alone.
  setLogger(undefined);
  // Otherwise a signal would leave an embedded PostgreSQL running.
  const stopped = catchSignals();
  if (config.databaseUrl === undefined && !mayMakeStore) {
    const { expectEmbeddedPostgres } = await import('@store-gateway/local');
    await expectEmbeddedPostgres(config.dataDirectory);
  }
  const onSlowWait = (waitingFor: string) => {
    // Scripts may treat any output on stderr as a failure.
    if (stderr.isTTY === true) {
      stderr.write(`still waiting for ${waitingFor}\n`);
    }
  };
  return { config, waiting: { stopped, onSlowWait } };
}
