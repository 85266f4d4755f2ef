/*
 * How a request is made of its fields: by the page's script of a form, and by the server of a document's examples.
 */

/**
 * A parameter, or the body, whose name is its media type.
 *
 * @typedef {{ readonly place: string, readonly name: string, readonly value: string }} Field
 */

/**
 * The path with its parameters, and the query. A field that is empty isn't sent.
 *
 * @param {string} path with the names of its parameters in braces
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
