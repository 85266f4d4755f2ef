import { setTimeout as pause } from 'node:timers/promises';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { isJsonObject, log, outsideRequest } from '@store-gateway/ops';
import { ProviderUnavailable } from './refusals.ts';

/** A key that the provider removes is refused after this time, if the provider can be asked. */
const REFRESH_INTERVAL_MS = 5 * 60_000;

/** The same while the provider is away. */
const RETRY_INTERVAL_MS = 15_000;

/** The least time between two refreshes that tokens with unknown keys cause. */
const MIN_INTERVAL_MS = 5000;

/** How long a token waits for its key, which is less than a request may take. */
const MAX_WAIT_MS = 1500;

interface SigningKeysOptions {
  /** @returns a JSON Web Key Set as text */
  readonly fetchKeys: (stopped: AbortSignal) => Promise<string>;
  readonly onChanged: () => void;
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
}

interface SigningKeys extends Disposable {
  /** The key that a token names. @throws ProviderUnavailable if that can't be told */
  readonly keyOf: JWTVerifyGetKey;
  /** Asks the provider; resolves when it has answered, or failed to. */
  readonly refresh: () => Promise<void>;
}

/**
 * A provider's keys, refreshed from now on, in the background. Those that are known stay while the provider is away; jose's
 * createRemoteJWKSet would forget them.
 */
export function createSigningKeys({ fetchKeys, onChanged, now }: SigningKeysOptions): SigningKeys {
  const stopping = new AbortController();
  const { signal: stopped } = stopping;
  let known = createLocalJWKSet({ keys: [] });
  let text = '';
  let isAway = true;
  let isReported = false;
  let askedForTokenAt = -Infinity;
  let refreshing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function ask(): Promise<void> {
    try {
      const fetched = await fetchKeys(stopped);
      if (fetched !== text) {
        known = createLocalJWKSet(keySet(fetched));
        text = fetched;
        onChanged();
      }
      if (isReported) {
        log.info('the identity provider can be reached again');
      }
      isAway = false;
      isReported = false;
    } catch (error) {
      isAway = true;
      if (!isReported && !stopped.aborted) {
        isReported = true;
        log.warn({ err: error }, 'cannot get the keys of the identity provider');
      }
    }
    if (!stopped.aborted) {
      clearTimeout(timer);
      timer = setTimeout(() => void refresh(), isAway ? RETRY_INTERVAL_MS : REFRESH_INTERVAL_MS);
      timer.unref();
    }
  }

  async function refresh(): Promise<void> {
    refreshing ??= outsideRequest(ask).finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }

  /** Whether a token with an unknown key is a reason to ask, or to wait for the answer. */
  function isDue(): boolean {
    if (refreshing !== undefined) {
      return true;
    }
    const isLongAgo = now() - askedForTokenAt >= MIN_INTERVAL_MS;
    if (isLongAgo) {
      askedForTokenAt = now();
    }
    return isLongAgo;
  }

  return {
    keyOf: async (header, token) => {
      try {
        return await known(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) {
          throw error;
        }
      }
      const isAnswered = !isDue() || (await isSoon(refresh()));
      return known(header, token).catch((error: unknown) => {
        throw isAnswered && !isAway ? error : new ProviderUnavailable();
      });
    },
    refresh,
    [Symbol.dispose]: () => {
      stopping.abort();
      clearTimeout(timer);
    },
  };
}

/** Whether a promise is fulfilled within the time that a token may wait. */
async function isSoon(promise: Promise<void>): Promise<boolean> {
  const waited = new AbortController();
  const { signal } = waited;
  const timeout = pause(MAX_WAIT_MS, false, { signal, ref: false }).catch(() => false);
  try {
    return await Promise.race([promise.then(() => true), timeout]);
  } finally {
    waited.abort();
  }
}

/** Whether it is one is checked by jose. */
function keySet(text: string): JSONWebKeySet {
  const value: unknown = JSON.parse(text);
  const keys = isJsonObject(value) ? value['keys'] : undefined;
  if (!Array.isArray(keys)) {
    throw new TypeError('the key set has no list of keys');
  }
  return { keys: keys.filter(isJsonObject).filter(isKey) };
}

function isKey(value: Record<string, unknown>): value is { kty: string } {
  return typeof value['kty'] === 'string';
}
