/** The conditions under which a page can be followed. */
interface Premises {
  /** Commands that keep running while the page is followed, such as `npm start`. */
  readonly running?: string;
  /** The folder in this repository that contains the packages which the page installs. */
  readonly packagesOf?: string;
}

const WITH_SERVICE: Premises = { running: 'npm start' };

/** The pages with commands that can be run, and what they assume. */
export const FOLLOWED: ReadonlyMap<string, Premises> = new Map<string, Premises>([
  ['README.md', {}],
  ['docs/access.md', WITH_SERVICE],
  ['docs/api.md', WITH_SERVICE],
  ['docs/commands.md', WITH_SERVICE],
  ['docs/errors.md', WITH_SERVICE],
  ['docs/graphql-client.md', { ...WITH_SERVICE, packagesOf: 'examples/graphql-client' }],
  ['docs/limits.md', WITH_SERVICE],
  ['docs/monitoring.md', WITH_SERVICE],
  ['docs/paging.md', WITH_SERVICE],
  ['docs/retries.md', WITH_SERVICE],
  ['docs/rest-client.md', { ...WITH_SERVICE, packagesOf: 'examples/rest-client' }],
  ['docs/tutorial.md', {}],
  ['docs/trusted-documents.md', WITH_SERVICE],
]);
