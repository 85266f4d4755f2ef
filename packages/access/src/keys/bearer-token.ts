// RFC 6750, 2.1, with the scheme in any case (RFC 9110, 11.1). Node has trimmed the value; to do it in the expression would
// take time quadratic in its length.
const BEARER = /^bearer +([^ ].*)$/i;

/** The token of an `Authorization: Bearer` header, or undefined if it has none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return BEARER.exec(authorization ?? '')?.[1];
}
