/* Runs in the browser: links that open a query with its variables, without running it. */
import { textOf, onElement } from './editors.js';

/**
 * Returns the query in the page's address. Our own links have it in the fragment, which never reaches a server or its log. Links
 * from other pages may have it in the query string.
 */
export function linkedQuery() {
  const parameters = new URLSearchParams(location.hash.slice(1) || location.search);
  const query = parameters.get('query');
  return query === null ? undefined : { query, variables: parameters.get('variables') ?? '' };
}

/** Returns a link to the texts in the editors, except the headers, which may contain a key. */
function linkToQuery() {
  const parameters = new URLSearchParams({ query: textOf('operation.graphql') });
  const variables = textOf('variables.json');
  if (variables.trim() !== '') {
    parameters.set('variables', variables);
  }
  return new URL(`#${parameters}`, location.href).href;
}

/** @param {string} text */
async function copy(text) {
  // Browsers expose the clipboard only over HTTPS and on localhost.
  await navigator.clipboard.writeText(text);
}

// Opening a link in the same tab changes only the fragment, so the page must be reloaded.
window.addEventListener('hashchange', () => {
  if (linkedQuery() !== undefined) {
    location.reload();
  }
});

const COPY_ICON = `<svg viewBox="0 0 24 24" class="graphiql-toolbar-icon" fill="none" stroke="currentColor" stroke-width="1.5"
  stroke-linecap="round" aria-hidden="true"><path d="M10 14a4.5 4.5 0 0 0 6.4 0l3-3a4.5 4.5 0 0 0-6.4-6.4l-1 1"/><path
  d="M14 10a4.5 4.5 0 0 0-6.4 0l-3 3a4.5 4.5 0 0 0 6.4 6.4l1-1"/></svg>`;

onElement('.graphiql-toolbar', (toolbar) => {
  const told = document.createElement('span');
  told.className = 'link-told';
  told.role = 'status';
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'graphiql-un-styled graphiql-toolbar-button';
  button.ariaLabel = 'Copy link';
  button.title = 'Copy a link to this query and its variables';
  button.innerHTML = COPY_ICON;
  button.addEventListener('click', () => {
    const link = linkToQuery();
    copy(link).then(
      () => (told.textContent = 'Link copied'),
      () => prompt('A link to this query and its variables:', link),
    );
  });
  button.addEventListener('blur', () => (told.textContent = ''));
  toolbar.append(button, told);
});
