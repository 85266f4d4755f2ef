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
 * @param {string} limit
 * @param {string} status or an empty string
 * @returns {ListRequest}
 */
export function restRequest(limit, status) {
  const url = new URL('v1/pets', SERVICE);
  url.searchParams.set('limit', limit);
  if (status !== '') {
    url.searchParams.set('status', status);
  }
  return {
    url,
    init: { method: 'GET', headers: { Accept: 'application/json' } },
    shown: `GET ${url.pathname}${url.search}\n${AUTHORIZATION}`,
    curl: `curl -H "${AUTHORIZATION}" '${url}'`,
  };
}

/**
 * @param {string} limit
 * @param {string} status or an empty string
 * @returns {ListRequest & { readonly query: string }}
 */
export function graphqlRequest(limit, status) {
  const url = new URL('graphql', SERVICE);
  const filter = status === '' ? '' : `, status: ${status}`;
  const query = `{\n  pets(limit: ${limit}${filter}) {\n    id name categoryId status\n  }\n}`;
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
