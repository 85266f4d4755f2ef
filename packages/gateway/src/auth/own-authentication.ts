import type { Access, Identity } from '../definition.ts';
import type { IncomingMessage } from 'node:http';
import { codedError, errorCode } from '@store-gateway/ops/errors';
import {
  bearerToken,
  callerOfId,
  type Caller,
  recordOutcome,
  type ValidKeys,
  commonScopes,
  UNRESTRICTED,
  type Restrictions,
} from '@store-gateway/access';

const MAX_ID = 2n ** 63n - 1n;

/** Authenticates the sender of a request. @throws UNAUTHENTICATED, or TOO_MANY_REQUESTS after too many invalid keys */
export type AuthenticateRequest = (request: IncomingMessage) => Promise<Caller>;

interface OwnAuthentication {
  readonly byApiKey: AuthenticateRequest;
  /** Learns whose a token is, so that later requests with it wait for the turn of their caller, not of their address. */
  readonly validKeys: ValidKeys;
  readonly withDeadline: <T>(authentication: Promise<T>) => Promise<T>;
}

/** Authenticates as a store does itself. */
export function authenticateAs(
  authenticate: NonNullable<Access['authenticate']>,
  { byApiKey, validKeys, withDeadline }: OwnAuthentication,
): AuthenticateRequest {
  return async (request) => {
    const token = bearerToken(request.headers.authorization);
    const refused = (): void => {
      recordOutcome('unknown');
      if (token !== undefined) {
        validKeys.delete(token);
      }
    };
    let isAboutKey = false;
    let holder: Caller | undefined;
    const askForKey = async (): Promise<Caller> => {
      isAboutKey = true;
      return (holder = await byApiKey(request));
    };
    const found = await withDeadline(authenticate(request, askForKey)).catch((error: unknown) => {
      if (!isAboutKey && errorCode(error) === 'UNAUTHENTICATED') {
        refused();
      }
      throw error;
    });
    if (found === undefined) {
      refused();
      throw codedError('UNAUTHENTICATED', 'The request has no valid credentials');
    }
    if (holder !== undefined && 'client' in found && found.id === holder.id) {
      return { ...holder, ...commonRestrictions(holder, found), claims: found.claims };
    }
    recordOutcome('ok');
    const caller = userOf(found, holder);
    if (token !== undefined) {
      validKeys.set(token, caller.client);
    }
    return caller;
  };
}

/** @param by whose key the request has, if that was asked for: the user is restricted as it is */
function userOf(found: Identity | Caller, by: Restrictions = UNRESTRICTED): Caller {
  const { id, claims } = found;
  if (typeof id !== 'bigint' || id < 1n || id > MAX_ID) {
    throw new RangeError(`authenticate must return an id of 1 to 2^63 - 1, not ${String(id)}`);
  }
  const restrictions = commonRestrictions(by, found);
  return { ...callerOfId(-id, restrictions.scopes, claims), ...restrictions };
}

/** What both allow: a store can restrict the holder of a key further, and never give it more. */
function commonRestrictions(
  by: Restrictions,
  { scopes, origins = null, documentsOnly = false }: Identity & Partial<Restrictions>,
): Restrictions {
  return {
    scopes: commonScopes(by.scopes, scopes),
    origins: by.origins?.filter((each) => origins === null || origins.includes(each)) ?? origins,
    documentsOnly: by.documentsOnly || documentsOnly,
  };
}
