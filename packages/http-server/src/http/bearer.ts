// RFC 6750, 2.1, with the scheme in any case (RFC 9110, 11.1). Node has cut off trailing spaces already;
// to do it here would take time quadratic in the length of what anyone may send.
const BEARER = /^bearer +(?<token>[^ ].*)$/i;

/** The token of an `Authorization: Bearer` header, or undefined if it has none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return BEARER.exec(authorization ?? '')?.groups?.['token'];
}

/**
 * The WWW-Authenticate header of a 401. Per RFC 6750, 3.1 it tells what is wrong with a key only to
 * those who gave one.
 */
export function bearerChallenge(authorization: string | undefined): string {
  return bearerToken(authorization) === undefined ? 'Bearer' : 'Bearer error="invalid_token"';
}
