const NAMES = [
  'api',
  'paging',
  'retries',
  'errors',
  'limits',
  'rest-client',
  'graphql-client',
  'trusted-documents',
];

/** The docs pages for API clients, in the order in which they are listed. */
export const guides: readonly URL[] = NAMES.map(
  (name) => new URL(`../../docs/${name}.md`, import.meta.url),
);
