import type { Gateway } from '../definition.ts';
import { MAX_WINDOW_SECONDS, createRateLimits, type RateLimits } from '@store-gateway/http/limits';
import type { Config } from '../config/config.ts';
import type { GatewayDatabase } from '../database/client.ts';

/** Creates a gateway's rate limits, which all processes on its database share. */
export function createLimits(
  { access }: Gateway,
  { $rateLimitCounts }: GatewayDatabase,
  config: Config,
): RateLimits {
  const longestWindow = access.rateLimitOf === undefined ? undefined : MAX_WINDOW_SECONDS;
  return createRateLimits($rateLimitCounts, { ...config, longestWindow }, () => performance.now());
}
