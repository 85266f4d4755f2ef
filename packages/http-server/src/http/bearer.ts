// RFC 6750, 2.1, with the scheme in any case (RFC 9110, 11.1). Node has trimmed the value; to do it in the expression would
// take time quadratic in its length.
const BEARER = /^bearer +([^ ].*)$/i;

/** The token of an `Authorization: Bearer` header, or undefined if it has none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return BEARER.exec(authorization ?? '')?.[1];
}

/** The WWW-Authenticate header of a 401, which names an error only if there was a token (RFC 6750, 3.1). */
export function bearerChallenge(authorization: string | undefined): string {
  return bearerToken(authorization) === undefined ? 'Bearer' : 'Bearer error="invalid_token"';
}
