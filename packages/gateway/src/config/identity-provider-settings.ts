import { issuer } from './checks.ts';
import { textOrNone, type Setting } from './setting.ts';

export function identityProviderSettings(of: <Value>(setting: Setting<Value>) => Value) {
  return {
    oidcIssuer: of({
      variable: 'OIDC_ISSUER',
      fallback: '',
      check: issuer,
      read: textOrNone,
      help: () =>
        'an identity provider whose access tokens are taken beside API keys, such as https://login.example/shop; by default none. No first API key is created then',
    }),
    oidcAudience: of({
      variable: 'OIDC_AUDIENCE',
      fallback: '',
      check: () => [],
      read: textOrNone,
      help: () => 'this service, as those access tokens name it in aud',
    }),
    oidcClientId: of({
      variable: 'OIDC_CLIENT_ID',
      fallback: '',
      check: () => [],
      read: textOrNone,
      help: () => 'the client as which people sign in there on the web pages; by default none do',
    }),
  };
}

/** What is wrong with the settings together. */
export function faultsOfProvider({
  oidcIssuer,
  oidcAudience,
  oidcClientId,
}: Readonly<ReturnType<typeof identityProviderSettings>>): string[] {
  const faults = [];
  if (oidcIssuer !== undefined && oidcAudience === undefined) {
    faults.push(
      'OIDC_ISSUER needs OIDC_AUDIENCE: without it, tokens for other services would be valid',
    );
  }
  if (oidcAudience !== undefined && oidcIssuer === undefined) {
    faults.push('OIDC_AUDIENCE needs an OIDC_ISSUER');
  }
  if (oidcClientId !== undefined && oidcIssuer === undefined) {
    faults.push('OIDC_CLIENT_ID needs an OIDC_ISSUER');
  }
  return faults;
}
