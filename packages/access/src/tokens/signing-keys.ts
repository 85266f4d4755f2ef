import { isJsonObject, isLoopback, log, outsideRequest } from '@store-gateway/ops';
import { setTimeout as pause } from 'node:timers/promises';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { ProviderUnavailable } from './claims.ts';

/** The part of the global `fetch`'s type that we use. */
type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Timeout for all requests of one refresh together. */
const FETCH_TIMEOUT_MS = 5000;

/** Maximum size of a key set or of metadata. A key takes 2 kB, including its certificates. */
const MAX_FETCHED_BYTES = 1_000_000;

/**
 * Fetches an issuer's metadata and then its keys, whose URL may have changed.
 *
 * @returns the JSON Web Key Set as received
 */
export async function fetchProviderKeys(
  issuer: string,
  fetchUrl: Fetch,
  stopped: AbortSignal,
): Promise<string> {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(FETCH_TIMEOUT_MS)]);
  const get = async (url: string): Promise<string> => {
    const response = await fetchUrl(url, {
      // Redirects are rejected, because only the configured provider may respond.
      redirect: 'error',
      headers: { Accept: 'application/json' },
      signal,
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Error(`${url} responded with ${response.status}`);
    }
    return boundedText(response, url);
  };
  const [openId, oauth] = metadataUrls(issuer);
  const metadata: unknown = JSON.parse(
    await get(openId).catch(async (error: unknown) =>
      get(oauth).catch(() => {
        throw error;
      }),
    ),
  );
  return get(keysUrl(metadata, issuer));
}

/** Reads a response body. @throws Error if the body is larger than MAX_FETCHED_BYTES */
async function boundedText({ body }: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_FETCHED_BYTES) {
      throw new Error(`${url} responded with more than ${MAX_FETCHED_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/**
 * Returns the metadata's two possible URLs, as defined by OpenID Connect Discovery 1.0, 4.1, and by RFC 8414, 3.1, which puts the
 * issuer's path last.
 */
function metadataUrls(issuer: string): [openId: string, oauth: string] {
  const base = issuer.replace(/\/$/, '');
  const { origin, pathname } = new URL(base);
  const path = pathname.replace(/\/$/, '');
  return [
    `${base}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ];
}

/**
 * Returns the URL of the keys.
 *
 * @throws Error if the metadata belongs to a different issuer, or if the URL is neither HTTPS nor on this machine
 */
function keysUrl(metadata: unknown, issuer: string): string {
  const { issuer: named, jwks_uri: uri } = isJsonObject(metadata) ? metadata : {};
  if (named !== issuer) {
    throw new Error(`the provider's issuer is ${JSON.stringify(named)}, not ${issuer}`);
  }
  const url = typeof uri === 'string' ? URL.parse(uri) : null;
  if (
    url === null ||
    !(url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url)))
  ) {
    throw new Error(`the issuer's jwks_uri must be an https URL, not ${JSON.stringify(uri)}`);
  }
  return url.href;
}

/** The interval between refreshes. While the provider is reachable, a key that it has removed is rejected within this time. */
const REFRESH_INTERVAL_MS = 5 * 60_000;

/** The interval between refreshes while the provider is unreachable. */
const RETRY_INTERVAL_MS = 15_000;

/** Minimum time between two refreshes for tokens with unknown keys. */
const MIN_TOKEN_REFRESH_MS = 5000;

/** How long a token waits for its key. This is shorter than a request's timeout. */
const MAX_WAIT_MS = 1500;

interface SigningKeysOptions {
  /** @returns a JSON Web Key Set as text */
  readonly fetchKeys: (stopped: AbortSignal) => Promise<string>;
  readonly onChanged: () => void;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

interface SigningKeys extends Disposable {
  /** Finds a token's key. @throws ProviderUnavailable if the key is unknown and the provider is unreachable */
  readonly keyOf: JWTVerifyGetKey;
  /** Fetches the keys. Resolves when that has succeeded or failed. */
  readonly refresh: () => Promise<void>;
}

/**
 * Caches a provider's keys, and refreshes them in the background after the first `refresh`. While the provider is unreachable,
 * cached keys stay valid; jose's createRemoteJWKSet would discard them.
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
        log.info('the identity provider is reachable again');
      }
      isAway = false;
      isReported = false;
    } catch (error) {
      isAway = true;
      if (!isReported && !stopped.aborted) {
        isReported = true;
        log.warn({ err: error }, "could not fetch the identity provider's keys");
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

  /** Whether a token with an unknown key should start a refresh, or wait for the current one. */
  function isDue(): boolean {
    if (refreshing !== undefined) {
      return true;
    }
    const isLongAgo = now() - askedForTokenAt >= MIN_TOKEN_REFRESH_MS;
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

/** Whether a promise is fulfilled within MAX_WAIT_MS. */
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

/** Parses a key set; jose checks the keys. */
function keySet(text: string): JSONWebKeySet {
  const value: unknown = JSON.parse(text);
  const keys = isJsonObject(value) ? value['keys'] : undefined;
  if (!Array.isArray(keys)) {
    throw new TypeError('the key set does not contain a list of keys');
  }
  return { keys: keys.filter(isJsonObject).filter(isKey) };
}

function isKey(value: Record<string, unknown>): value is { kty: string } {
  return typeof value['kty'] === 'string';
}
