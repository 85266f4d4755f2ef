/* Runs in the browser: the texts of its editors. */

/**
 * @typedef {'operation.graphql' | 'variables.json' | 'request-headers.json' | 'response.json'} EditorName as in the URIs that
 *   GraphiQL gives to the texts
 */

/** @param {EditorName} name */
function modelOf(name) {
  return monaco.editor.getModels().find(({ uri }) => uri.path.endsWith(name));
}

/** @param {EditorName} name */
export function textOf(name) {
  return modelOf(name)?.getValue() ?? '';
}

/**
 * @param {EditorName} name
 * @param {string} text
 */
export function setText(name, text) {
  modelOf(name)?.setValue(text);
}

/**
 * Calls back with an element of GraphiQL's, as soon as there is one.
 *
 * @param {string} selector
 * @param {(element: Element) => void} callback
 */
export function whenThere(selector, callback) {
  const observer = new MutationObserver(() => {
    const element = document.querySelector(selector);
    if (element !== null) {
      observer.disconnect();
      callback(element);
    }
  });
  observer.observe(document, { childList: true, subtree: true });
}
