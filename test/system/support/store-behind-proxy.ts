import { vi } from 'vitest';
import { newDatabase } from '../../support/new-database.ts';
import { requestOf, type Gateway } from '../../support/gateway.ts';
import { firstKey, startService } from '../../support/service.ts';
import { freePort, HOST, startHAProxy } from './haproxy.ts';

export interface StoreBehindProxy extends Pick<Gateway, 'request' | 'key'> {
  /** The URL that clients use: the proxy's, with the prefix if there is one. */
  readonly url: string;
}

/**
 * Starts a service behind HAProxy until the file's tests are over, optionally below /store and optionally with that
 * address as its PUBLIC_URL.
 */
export async function startStoreBehindProxy({
  hasPrefix = false,
  hasPublicUrl = false,
} = {}): Promise<StoreBehindProxy> {
  const port = await freePort();
  const url = `http://${HOST}:${port}${hasPrefix ? '/store' : ''}`;
  const service = await startService({
    DATABASE_URL: await newDatabase(),
    HOST,
    PUBLIC_URL: hasPublicUrl ? url : '',
  });
  const key = await firstKey(service);
  await startHAProxy({ one: service.url, two: service.url }, { port, hasPrefix });
  await vi.waitFor(() => fetch(`${url}/livez`), { timeout: 20_000, interval: 10 });
  return { url, key, request: requestOf(url, key) };
}
