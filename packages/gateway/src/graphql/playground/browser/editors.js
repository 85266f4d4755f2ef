/* Runs in the browser: the texts of its editors, which are the plain one's fields until GraphiQL takes their place. */

/**
 * @typedef {'operation.graphql' | 'variables.json' | 'request-headers.json' | 'response.json'} EditorName as in the URIs that
 *   GraphiQL gives to the texts, and the names of the plain editor's fields
 */

/** @param {EditorName} name */
export function fieldOf(name) {
  const field = document.querySelector(`#plain-editor [name="${name}"]`);
  return field instanceof HTMLTextAreaElement || field instanceof HTMLOutputElement
    ? field
    : undefined;
}

/** @param {EditorName} name */
export function modelOf(name) {
  return monaco.editor.getModels().find(({ uri }) => uri.path.endsWith(name));
}

/** @param {EditorName} name */
export function textOf(name) {
  return fieldOf(name)?.value ?? modelOf(name)?.getValue() ?? '';
}

/**
 * @param {EditorName} name
 * @param {string} text
 */
export function setText(name, text) {
  const field = fieldOf(name);
  if (field === undefined) {
    modelOf(name)?.setValue(text);
  } else {
    field.value = text;
  }
}

/**
 * The object that an editor has as JSON.
 *
 * @param {EditorName} name
 * @returns {object | undefined} undefined if it is no JSON object: it may become one
 */
export function objectOf(name) {
  try {
    /** @type {unknown} */
    const value = JSON.parse(textOf(name).trim() || '{}');
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Calls back with an element of GraphiQL's, as soon as there is one.
 *
 * @param {string} selector
 * @param {(element: Element) => void} callback
 */
export function onElement(selector, callback) {
  const observer = new MutationObserver(() => {
    const element = document.querySelector(selector);
    if (element !== null) {
      observer.disconnect();
      callback(element);
    }
  });
  observer.observe(document, { childList: true, subtree: true });
}
