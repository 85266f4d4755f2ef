import type { Access } from '../definition.ts';
import type { Caller } from '@store-gateway/access';
import { redactTokens } from '@store-gateway/ops';
import type { AccessTokens } from '@store-gateway/access/tokens';
import type { Config } from '../config/config.ts';
import { scopeNames } from './scope-names.ts';
import { callerOfToken } from './token-caller.ts';

/**
 * The callers of the configured identity provider's access tokens; undefined without one. The provider is asked in the
 * background: it may be away.
 */
export async function openIdentityProvider(
  access: Access,
  { oidcIssuer: issuer, oidcAudience: audience }: Pick<Config, 'oidcIssuer' | 'oidcAudience'>,
): Promise<AccessTokens<Caller> | undefined> {
  if (issuer === undefined || audience === undefined) {
    return undefined;
  }
  redactTokens();
  // Most stores do without.
  const { createAccessTokens } = await import('@store-gateway/access/tokens');
  const callerOf = callerOfToken(issuer, new Set(scopeNames(access)));
  const tokens = createAccessTokens({ issuer, audience, callerOf });
  void tokens.refresh();
  return tokens;
}
