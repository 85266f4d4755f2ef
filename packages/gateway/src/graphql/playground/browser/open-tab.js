/* Runs in the browser: which of GraphiQL's tabs is open. */

/** Its id is empty until GraphiQL tells it, with the first change or run. */
export const openTab = { id: '' };
