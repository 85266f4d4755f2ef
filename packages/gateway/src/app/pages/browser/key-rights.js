/* Runs in the browser: parses a key's rights, and describes them in a sentence. */

/**
 * The scopes and origins that a key is restricted to, or null for all, and whether it may only send trusted documents.
 *
 * @typedef {{
 *   readonly scopes: readonly string[] | null,
 *   readonly origins: readonly string[] | null,
 *   readonly documentsOnly: boolean,
 * }} KeyRights
 */

/**
 * @param {object} body of the service's response
 * @returns {KeyRights}
 */
export function rightsOf(body) {
  return {
    scopes: namesOf(Reflect.get(body, 'scopes')),
    origins: namesOf(Reflect.get(body, 'origins')),
    documentsOnly: Reflect.get(body, 'documentsOnly') === true,
  };
}

/**
 * @param {unknown} list
 * @returns {readonly string[] | null}
 */
function namesOf(list) {
  return Array.isArray(list) ? list.map(String) : null;
}

/**
 * @param {KeyRights} rights
 * @param {'This key' | 'You'} subject
 */
export function rightsSentence({ scopes, origins, documentsOnly }, subject) {
  const parts = [
    `${subject} ${verbOf(scopes, subject)}`,
    ...(documentsOnly ? ['with trusted documents only'] : []),
    ...(origins === null ? [] : [`on pages of ${origins.join(' or ')} only`]),
  ];
  return `${parts.join(', ')}.`;
}

/**
 * @param {KeyRights['scopes']} scopes
 * @param {string} subject
 */
function verbOf(scopes, subject) {
  switch (scopes?.toSorted().join(' ')) {
    case undefined:
      return subject === 'You' ? 'may do everything' : 'works';
    case '':
      return 'may do nothing, because no scope was granted';
    case 'read':
      return 'may read';
    case 'read write':
      return 'may read and write';
    default:
      return `may: ${scopes?.join(', ')}`;
  }
}
