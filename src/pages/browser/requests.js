/* Runs in the browser: the same list of animals, as either surface is asked for it. */
import { SERVICE } from './key-check.js';

/**
 * @typedef {{
 *   readonly url: URL,
 *   readonly init: { readonly method: string, readonly headers: Record<string, string>, readonly body?: string },
 *   readonly shown: string,
 *   readonly curl: string,
 * }} ListRequest
 */

/** What stands in for the key wherever a request is shown or copied. */
const AUTHORIZATION = 'Authorization: Bearer $API_KEY';

/**
 * Which animals are listed.
 *
 * @typedef {{
 *   readonly limit: string,
 *   readonly status: string,
 *   readonly after: string,
 * }} Page with empty strings for any status, and for the first page
 */

/**
 * @param {Page} page
 * @returns {ListRequest}
 */
export function restRequest({ limit, status, after }) {
  const url = new URL('v1/pets', SERVICE);
  for (const [name, value] of Object.entries({ limit, status, after })) {
    if (value !== '') {
      url.searchParams.set(name, value);
    }
  }
  return {
    url,
    init: { method: 'GET', headers: { Accept: 'application/json' } },
    shown: `GET ${url.pathname}${url.search}\n${AUTHORIZATION}`,
    curl: `curl -H "${AUTHORIZATION}" '${url}'`,
  };
}

/**
 * @param {Page} page
 * @returns {ListRequest & { readonly query: string }}
 */
export function graphqlRequest({ limit, status, after }) {
  const url = new URL('graphql', SERVICE);
  const filter = status === '' ? '' : `, status: ${status}`;
  const start = after === '' ? '' : `, after: ${after}`;
  const query = `{\n  pets(limit: ${limit}${filter}${start}) {\n    id name categoryId status\n  }\n}`;
  const body = JSON.stringify({ query });
  const json = { Accept: 'application/json', 'Content-Type': 'application/json' };
  return {
    url,
    query,
    init: { method: 'POST', headers: json, body },
    shown: `POST ${url.pathname}\n${AUTHORIZATION}\n\n${query.replaceAll(/\s+/g, ' ')}`,
    curl: `curl -H "${AUTHORIZATION}" -H 'Content-Type: application/json' -d '${body}' '${url}'`,
  };
}
