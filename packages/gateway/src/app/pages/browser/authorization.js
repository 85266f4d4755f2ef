/*
 * Runs in the browser: the authorization code flow with PKCE (RFC 9700, 2.1.1), with which people sign in at the service's
 * identity provider. The page is a public client.
 */
import {
  allowInsecureRequests,
  AuthorizationResponseError,
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  discoveryRequest,
  generateRandomCodeVerifier,
  generateRandomState,
  None,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  ResponseBodyError,
  validateAuthResponse,
} from './oauth4webapi.js';
import { find } from './find.js';
import { SERVICE } from './key-check.js';
import { forgetKey, storeToken } from './stored-key.js';

const TIMEOUT_MS = 15_000;
const REDIRECT_URI = new URL('sign-in', SERVICE).href;

const {
  item = '',
  issuer = '',
  client: client_id = '',
  audience = '',
  scopes = '',
} = find('api-key-field', HTMLElement).dataset;
const provider = new URL(issuer);
const client = { client_id };

/** The session storage item of a sign-in in progress. */
const FLOW = `${item}:sign-in`;

/**
 * The data that the page at REDIRECT_URI needs to complete a sign-in, and the path where the sign-in began.
 *
 * @typedef {{ readonly state: string, readonly verifier: string, readonly path: string }} Flow
 */

/** A failure whose message is a sentence for the user. */
class SignInFailure extends Error {}

/** Redirects to the identity provider. */
export async function beginSignIn() {
  if (!isSecureContext) {
    throw new SignInFailure('To sign in, open this page over HTTPS.');
  }
  const { authorization_endpoint = '' } = await discover();
  const url = new URL(authorization_endpoint);
  if (url.protocol !== provider.protocol) {
    throw new SignInFailure('The identity provider’s authorization endpoint is not valid.');
  }
  const { pathname, search, hash } = location;
  const verifier = generateRandomCodeVerifier();
  /** @type {Flow} */
  const flow = { state: generateRandomState(), verifier, path: pathname + search + hash };
  const parameters = {
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT_URI,
    scope: scopes,
    state: flow.state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...resource(),
  };
  for (const [name, value] of Object.entries(parameters)) {
    url.searchParams.set(name, value);
  }
  // The access token will replace the key.
  forgetKey();
  sessionStorage.setItem(FLOW, JSON.stringify(flow));
  location.assign(url);
}

/** Exchanges the provider's authorization code for an access token, and stores the token. */
export async function completeSignIn() {
  const { searchParams } = new URL(location.href);
  // Although the code can be used only once, the history should not contain it.
  history.replaceState(null, '', location.pathname);
  const flow = storedFlow();
  sessionStorage.removeItem(FLOW);
  if (flow === undefined || searchParams.get('state') !== flow.state) {
    throw new SignInFailure('This sign-in was not started in this tab, or has already finished.');
  }
  const server = await discover();
  const validated = validateAuthResponse(server, client, searchParams, flow.state);
  const response = await authorizationCodeGrantRequest(
    server,
    client,
    None(),
    validated,
    REDIRECT_URI,
    flow.verifier,
    { ...requestOptions(), additionalParameters: resource() },
  );
  const result = await processAuthorizationCodeResponse(server, client, response);
  if (result.token_type !== 'bearer') {
    throw new SignInFailure('The identity provider did not issue a bearer token.');
  }
  storeToken(result.access_token, result.expires_in);
}

/** Returns the page where the sign-in in progress began, or the landing page. The page always belongs to this service. */
export function signInPage() {
  const url = new URL(storedFlow()?.path ?? '', SERVICE);
  return url.href.startsWith(SERVICE.href) && url.pathname !== new URL(REDIRECT_URI).pathname
    ? url.href
    : SERVICE.href;
}

/** @param {unknown} error thrown by a function of this module */
export function sentenceOf(error) {
  if (error instanceof SignInFailure) {
    return error.message;
  }
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    const { error: code, error_description: description = '' } = error;
    const why = description === '' ? code : `${description.replace(/\.$/, '')} (${code})`;
    return `The identity provider rejected the sign-in: ${why}.`;
  }
  // `fetch` rejects with these errors, even if the provider responds but doesn't allow this origin to read its responses.
  return error instanceof TypeError || error instanceof DOMException
    ? `The identity provider at ${provider.origin} did not respond to this page: it may be down, or may not allow requests from ${location.origin}.`
    : 'The identity provider’s response is not valid.';
}

/** Fetches the provider's endpoints. */
async function discover() {
  const response = await discoveryRequest(provider, requestOptions());
  const server = await processDiscoveryResponse(provider, response);
  // The pages' Content-Security-Policy doesn't allow any other origin.
  if (URL.parse(server.token_endpoint ?? '')?.origin !== provider.origin) {
    throw new SignInFailure(
      `These pages cannot sign in at ${provider.origin}: its token endpoint is on a different origin.`,
    );
  }
  return server;
}

function requestOptions() {
  return {
    // This applies only to a provider on this machine: for any other provider, the service requires HTTPS.
    [allowInsecureRequests]: provider.protocol === 'http:',
    signal: () => AbortSignal.timeout(TIMEOUT_MS),
  };
}

/**
 * Returns the parameter for the token's audience (RFC 8707, 2). Some providers call it `audience`; providers ignore parameters
 * that they don't support.
 *
 * @returns {Record<string, string>}
 */
function resource() {
  return {
    ...(URL.canParse(audience) && { resource: audience }),
    ...(audience !== '' && { audience }),
  };
}

function storedFlow() {
  /** @type {Flow | null} */
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- beginSignIn stored it
  const flow = JSON.parse(sessionStorage.getItem(FLOW) ?? 'null');
  return flow ?? undefined;
}
