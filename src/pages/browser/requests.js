/* Runs in the browser: creates the requests for the same list of animals over both APIs. */
import { SERVICE } from './key-check.js';

/**
 * @typedef {{
 *   readonly url: URL,
 *   readonly init: { readonly method: string, readonly headers: Record<string, string>, readonly body?: string },
 *   readonly shown: string,
 *   readonly curl: string,
 * }} ListRequest
 */

/** The placeholder for the key in requests that are shown or copied. */
const AUTHORIZATION = 'Authorization: Bearer $API_KEY';

/**
 * The animals to list.
 *
 * @typedef {{ readonly limit: string, readonly status: string, readonly after: string, }} Page `status` is empty for any status,
 *   and `after` is empty for the first page
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
