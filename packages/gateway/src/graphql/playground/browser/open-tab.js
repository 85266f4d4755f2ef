/* Runs in the browser: the tab that is open in GraphiQL. */

/** The id is empty until GraphiQL reports it, with the first edit or run. */
export const openTab = { id: '' };
