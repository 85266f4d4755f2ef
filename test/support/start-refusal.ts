import { startDatabase } from './store-database.ts';
import { expect } from 'vitest';
import type { Config } from '../../packages/gateway/src/config/config.ts';
import { StartupFailure } from '@store-gateway/ops';

/** Returns the error message from a start on an unusable database. On stderr, it would be one line (see failedStart). */
export async function startRefusal(config: Partial<Config>): Promise<string> {
  const starting = startDatabase(config);
  const failure = await starting.catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(StartupFailure);
  return failure instanceof StartupFailure ? failure.message : '';
}
