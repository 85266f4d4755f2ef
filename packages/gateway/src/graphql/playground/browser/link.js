/* Runs in the browser: links that open a query and its variables, and never run it. */
import { textOf, onElement } from './editors.js';

/**
 * The query that the page's address links to. Ours have it in the fragment, which no server sees and no log keeps; those of
 * other pages may have it in the query string.
 */
export function linkedQuery() {
  const parameters = new URLSearchParams(location.hash.slice(1) || location.search);
  const query = parameters.get('query');
  return query === null ? undefined : { query, variables: parameters.get('variables') ?? '' };
}

/** A link to what is in the editors. Headers are not in it, as they may have a key. */
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
  // Pages have the clipboard over HTTPS and on this machine only.
  await navigator.clipboard.writeText(text);
}

// A link that is opened in this tab only changes the fragment.
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
