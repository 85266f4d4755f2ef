import { createServer, type RequestListener } from 'node:http';
import { exportJWK, generateKeyPair, type CryptoKey, type JWK } from 'jose';
import { Provider } from 'oidc-provider';
import { isJsonObject } from '@store-gateway/ops';
import { portOf } from './listen-locally.ts';
import { onFileFinished } from './clean-up.ts';
import { createHmac, KeyObject, sign } from 'node:crypto';

/** The audience that identifies the service in tokens. */
export const AUDIENCE = 'https://store.example/api';

/** The credentials of the only client, which is the tokens' subject. */
const CLIENT = { client_id: 'shop', client_secret: 'secret of the shop' };

/** Starts a real provider on a local port, until the file's tests are over. */
export async function startIdentityProvider(algorithm: 'ES256' | 'RS256' = 'ES256') {
  let count = 0;
  let isAway = false;
  let key = await generateKey();
  let listener: RequestListener;
  const server = createServer((request, response) => {
    if (isAway) {
      request.socket.destroy();
      return;
    }
    listener(request, response);
  });
  const issuer = `http://127.0.0.1:${await portOf(server)}`;
  let published: readonly JWK[] = [key.jwk];
  listener = providerOf(issuer, published);
  onFileFinished(async () => {
    server.close();
    server.closeAllConnections();
  });

  async function generateKey() {
    const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
    count += 1;
    const jwk: JWK = {
      ...(await exportJWK(privateKey)),
      kid: `key ${count}`,
      use: 'sig',
      alg: algorithm,
    };
    return { jwk, privateKey };
  }

  const valid = () => {
    const now = Math.floor(Date.now() / 1000);
    const scope = 'read write';
    return { iss: issuer, aud: AUDIENCE, sub: 'ann', iat: now, exp: now + 600, scope };
  };

  function signText(claims: string, header: object = {}): string {
    const { kid, alg } = key.jwk;
    return jwtOf({ alg, typ: 'at+jwt', kid, ...header }, claims, signedBy(key.privateKey));
  }

  return {
    issuer,
    /** Returns an access token that the provider issues. */
    issue: async (scope = 'read write', resource = AUDIENCE): Promise<string> => {
      const grant = { ...CLIENT, grant_type: 'client_credentials', scope, resource };
      const init = { method: 'POST', body: new URLSearchParams(grant) };
      const issued: unknown = await (await fetch(`${issuer}/token`, init)).json();
      return isJsonObject(issued) ? String(issued['access_token']) : '';
    },
    /**
     * Returns a token that the provider would not issue, but that is signed with its key: a valid access token with
     * these claims changed.
     */
    sign: (claims: object = {}, header: object = {}): string =>
      signText(JSON.stringify({ ...valid(), ...claims }), header),
    /** Like `sign`, but with claims as text, which need not be an object. */
    signText,
    /** Makes the provider sign with a new key from now on, and publish it alone or in addition to the earlier keys. */
    rotate: async (isBeside = false): Promise<void> => {
      key = await generateKey();
      published = [...(isBeside ? published : []), key.jwk];
      listener = providerOf(issuer, published);
    },
    /** Makes the provider unreachable. */
    stop: () => {
      isAway = true;
      server.closeAllConnections();
    },
    publicKey: (): JWK => {
      const { d: _secret, ...publicKey } = key.jwk;
      return publicKey;
    },
  };
}

function providerOf(issuer: string, keys: readonly JWK[]): RequestListener {
  const alg = keys[0]?.alg;
  const scope = 'read write prices unknown';
  const provider = new Provider(issuer, {
    jwks: { keys: [...keys] },
    clients: [
      {
        ...CLIENT,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        token_endpoint_auth_method: 'client_secret_post',
        id_token_signed_response_alg: alg,
      },
    ],
    scopes: scope.split(' '),
    ttl: { ClientCredentials: 600 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context: unknown, audience: string) => ({
          scope,
          audience,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg } },
        }),
      },
    },
  });
  return provider.callback();
}

const part = (text: string) => Buffer.from(text).toString('base64url');

/** Returns a JWT with any header and claims, which need not be JSON. @param signature of its first two parts */
export function jwtOf(
  header: object,
  claims: object | string,
  signature: (signed: string) => string,
): string {
  const text = typeof claims === 'string' ? claims : JSON.stringify(claims);
  const signed = `${part(JSON.stringify(header))}.${part(text)}`;
  return `${signed}.${signature(signed)}`;
}

/** Signs with ES256 or RS256, depending on the key's type. */
export const signedBy = (key: CryptoKey) => (signed: string) =>
  sign('sha256', Buffer.from(signed), {
    key: KeyObject.from(key),
    dsaEncoding: 'ieee-p1363',
  }).toString('base64url');

/** Signs with HS256. */
export const authenticatedBy = (secret: string) => (signed: string) =>
  createHmac('sha256', secret).update(signed).digest('base64url');
