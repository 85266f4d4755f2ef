/* Builds a request from its fields. Used by the page's script for a form, and by the server for a document's examples. */

/**
 * A parameter or the body. The name of a body is its media type.
 *
 * @typedef {{ readonly place: string, readonly name: string, readonly value: string }} Field
 */

/**
 * Returns the path with its parameters, and the query. Empty fields are omitted.
 *
 * @param {string} path the path, with the names of its parameters in braces
 * @param {readonly Field[]} fields
 */
export function targetOf(path, fields) {
  const given = fields.filter(({ value }) => value !== '');
  const filled = given
    .filter(({ place }) => place === 'path')
    .reduce((rest, { name, value }) => rest.replace(`{${name}}`, encodeURIComponent(value)), path);
  const query = given
    .filter(({ place }) => place === 'query')
    .map(({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

/**
 * @param {readonly Field[]} fields
 * @returns {(readonly [name: string, value: string])[]}
 */
export function headersOf(fields) {
  return fields.flatMap(({ place, name, value }) => {
    if (place === 'body') {
      return [/** @type {const} */ (['Content-Type', name])];
    }
    return place === 'header' && value !== '' ? [/** @type {const} */ ([name, value])] : [];
  });
}
