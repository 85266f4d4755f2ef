/* Runs in the browser: reads and writes the editors' texts. They are fields of the plain editor until GraphiQL replaces it. */

/**
 * @typedef {'operation.graphql' | 'variables.json' | 'request-headers.json' | 'response.json'} EditorName as in the URIs that
 *   GraphiQL assigns to the texts, and in the names of the plain editor's fields
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
 * Parses the JSON object in an editor.
 *
 * @param {EditorName} name
 * @returns {object | undefined} undefined for anything else, such as an object that is still being typed
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
 * Calls a function when GraphiQL has created an element that matches a selector.
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
