import { isJsonObject } from '@store-gateway/ops';
import { isLoopback } from '@store-gateway/ops';

/** What of the global `fetch` is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** All requests of one refresh together. */
const TIMEOUT_MS = 5000;

/** Of a key set or of metadata: a key takes 2 kB with its certificates. */
const MAX_BYTES = 1_000_000;

/**
 * Asks an issuer where its keys are, and for them: they may have moved.
 *
 * @returns its JSON Web Key Set as it came
 */
export async function fetchProviderKeys(
  issuer: string,
  fetchUrl: Fetch,
  stopped: AbortSignal,
): Promise<string> {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(TIMEOUT_MS)]);
  const get = async (url: string): Promise<string> => {
    const response = await fetchUrl(url, {
      // Whoever is asked is who was configured.
      redirect: 'error',
      headers: { Accept: 'application/json' },
      signal,
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Error(`${url} answered with ${response.status}`);
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

/** @throws Error if the body is larger than what any provider needs */
async function boundedText({ body }: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) {
      throw new Error(`${url} answered with more than ${MAX_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** OpenID Connect Discovery 1.0, 4.1, and RFC 8414, 3.1, which puts the path of the issuer last. */
function metadataUrls(issuer: string): [openId: string, oauth: string] {
  const base = issuer.replace(/\/$/, '');
  const { origin, pathname } = new URL(base);
  const path = pathname.replace(/\/$/, '');
  return [
    `${base}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ];
}

/** @throws Error if the metadata are of another issuer, or say nothing that may be trusted of its keys */
function keysUrl(metadata: unknown, issuer: string): string {
  const { issuer: named, jwks_uri: uri } = isJsonObject(metadata) ? metadata : {};
  if (named !== issuer) {
    throw new Error(`the issuer calls itself ${JSON.stringify(named)}, not ${issuer}`);
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
