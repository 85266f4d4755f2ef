import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { exportJWK, generateKeyPair, type CryptoKey, type JWK } from 'jose';
import { Provider } from 'oidc-provider';
import { isJsonObject } from '@store-gateway/ops';
import { onFileFinished } from './clean-up.ts';
import { jwtOf, signedBy } from './jwt.ts';

/** The service, as its tokens name it. */
export const AUDIENCE = 'https://store.example/api';

/** Of the one client, which is the subject of its tokens. */
export const CLIENT = { client_id: 'shop', client_secret: 'secret of the shop' };

/** A real provider on a port of this machine, until the tests of the file are over. */
export interface IdentityProvider {
  readonly issuer: string;
  /** An access token as the provider issues it. */
  readonly issue: (scope?: string, audience?: string) => Promise<string>;
  /** A token that it would not issue, signed with its key: an access token for the service but for these claims. */
  readonly sign: (claims?: object, header?: object) => string;
  /** The same with claims that are no object. */
  readonly signText: (claims: string, header?: object) => string;
  /** Has it sign with another key from now on, and publish that one: alone, or behind those before. */
  readonly rotate: (isBeside?: boolean) => Promise<void>;
  /** Has it answer nobody. */
  readonly stop: () => void;
  readonly publicKey: () => JWK;
  /** How often its keys were asked for. */
  readonly asked: () => number;
}

interface SigningKey {
  readonly jwk: JWK;
  readonly privateKey: CryptoKey;
}

export async function startIdentityProvider(
  algorithm: 'ES256' | 'RS256' = 'ES256',
): Promise<IdentityProvider> {
  let count = 0;
  let asked = 0;
  let isAway = false;
  let key = await generateKey();
  let listener: RequestListener;
  const server = createServer((request, response) => {
    if (isAway) {
      request.socket.destroy();
      return;
    }
    asked += request.url === '/jwks' ? 1 : 0;
    listener(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  let published: readonly JWK[] = [key.jwk];
  listener = providerOf(issuer, published);
  onFileFinished(async () => {
    server.close();
    server.closeAllConnections();
  });

  async function generateKey(): Promise<SigningKey> {
    const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
    count += 1;
    const jwk = {
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
    issue: async (scope = 'read write', audience = AUDIENCE) => {
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        body: new URLSearchParams({
          ...CLIENT,
          grant_type: 'client_credentials',
          scope,
          resource: audience,
        }),
      });
      const issued: unknown = await response.json();
      return isJsonObject(issued) ? String(issued['access_token']) : '';
    },
    sign: (claims = {}, header = {}) => signText(JSON.stringify({ ...valid(), ...claims }), header),
    signText,
    rotate: async (isBeside = false) => {
      key = await generateKey();
      published = [...(isBeside ? published : []), key.jwk];
      listener = providerOf(issuer, published);
    },
    stop: () => {
      isAway = true;
      server.closeAllConnections();
    },
    publicKey: () => {
      const { d: _secret, ...publicKey } = key.jwk;
      return publicKey;
    },
    asked: () => asked,
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
