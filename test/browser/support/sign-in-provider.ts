import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { Provider } from 'oidc-provider';
import type { GatewayOptions } from '../../support/gateway.ts';
import { listening } from './prefix.ts';

const AUDIENCE = 'https://store.example/api';
const CLIENT_ID = 'pages';
/** The scopes granted to each person who may sign in. */
const PEOPLE: Readonly<Record<string, string>> = { Ann: 'read write', Rita: 'read' };
const ALL = 'read write';
const TOKEN_SECONDS = 600;

/** An identity provider where people sign in by clicking their name. */
export interface SignInProvider {
  readonly issuer: string;
  /** Settings for a gateway that uses this provider. */
  readonly settings: Pick<GatewayOptions, 'oidcIssuer' | 'oidcAudience' | 'oidcClientId'>;
  /** Allows sign-ins to return to the services at these URLs. */
  readonly register: (...services: readonly string[]) => void;
}

export async function startSignInProvider(): Promise<SignInProvider> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(privateKey)), use: 'sig', alg: 'ES256' };
  let answer: RequestListener;
  const server = createServer((request, response) => answer(request, response));
  const issuer = await listening(server);
  // Gateways fetch the provider's keys when they start, before their URLs are known here.
  answer = createProvider(issuer, jwk, ['http://127.0.0.1']).callback();
  return {
    issuer,
    settings: { oidcIssuer: issuer, oidcAudience: AUDIENCE, oidcClientId: CLIENT_ID },
    register: (...services) => {
      const provider = createProvider(issuer, jwk, services);
      const callback = provider.callback();
      answer = (request, response) => {
        if (request.url?.startsWith('/who/')) {
          void askWho(provider, request, response);
        } else {
          callback(request, response);
        }
      };
    },
  };
}

/** The part of oidc-provider's request context that the configuration uses. */
interface GrantContext {
  readonly oidc: {
    readonly session: { readonly accountId: string };
    readonly provider: { readonly Grant: new (of: object) => Grant };
  };
}

interface Grant {
  addResourceScope: (resource: string, scope: string) => void;
  rejectResourceScope: (resource: string, scope: string) => void;
  save: () => Promise<void>;
}

function createProvider(issuer: string, jwk: JWK, services: readonly string[]): Provider {
  return new Provider(issuer, {
    jwks: { keys: [jwk] },
    clients: [
      {
        client_id: CLIENT_ID,
        token_endpoint_auth_method: 'none',
        redirect_uris: services.map((service) => `${service}/sign-in`),
        id_token_signed_response_alg: 'ES256',
      },
    ],
    clientBasedCORS: () => true,
    cookies: { keys: ['secret'] },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AuthorizationCode: 60 },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/who/${uid}` },
    findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub }) }),
    loadExistingGrant: async ({ oidc: { session, provider } }: GrantContext) => {
      const { accountId } = session;
      const grant = new provider.Grant({ clientId: CLIENT_ID, accountId });
      const granted = PEOPLE[accountId] ?? '';
      grant.addResourceScope(AUDIENCE, granted);
      grant.rejectResourceScope(AUDIENCE, ALL.replace(granted, '').trim());
      await grant.save();
      return grant;
    },
    features: {
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: ALL,
          audience: AUDIENCE,
          accessTokenTTL: TOKEN_SECONDS,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  });
}

/** Serves the page with a button for each person and for declining, and handles its form. */
async function askWho(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'POST') {
    const name = new URLSearchParams(await text(request)).get('name') ?? '';
    await provider.interactionFinished(
      request,
      response,
      name in PEOPLE
        ? { login: { accountId: name } }
        : { error: 'access_denied', error_description: 'You have declined.' },
    );
    return;
  }
  const buttons = [...Object.keys(PEOPLE), 'Decline'].map(
    (name) => `<button name="name" value="${name}">${name}</button>`,
  );
  response.setHeader('Content-Type', 'text/html');
  response.end(
    `<!doctype html><link rel="icon" href="data:,"><form method="post">${buttons.join('')}</form>`,
  );
}
