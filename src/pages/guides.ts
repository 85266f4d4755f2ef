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

/** The pages of docs that whoever calls the service needs, in the order that they are listed in. */
export const guides: readonly URL[] = NAMES.map(
  (name) => new URL(`../../docs/${name}.md`, import.meta.url),
);
