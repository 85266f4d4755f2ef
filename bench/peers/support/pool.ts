import type { PoolConfig } from 'pg';
import { databaseUrl } from './environment.ts';

/** As many connections as the gateway has itself. */
export const POOL = {
  connectionString: databaseUrl,
  max: 10,
  keepAlive: true,
} satisfies PoolConfig;
