import { existsSync } from 'node:fs';
import { basename } from 'node:path';

/** The path of the list of guides. */
export const GUIDES = '/guides';

const FILE_NAME = /^([a-z0-9]+(?:-[a-z0-9]+)*)\.md$/;

/** Returns the path of a guide, which is derived from the guide's file name. */
export const pathOf = (file: URL): string => `${GUIDES}/${nameOf(file)}`;

const nameOf = (file: URL): string => basename(file.pathname, '.md');

export function* faultsOfGuides(files: readonly URL[]): Iterable<string> {
  const names = new Set<string>();
  for (const file of files) {
    const name = nameOf(file);
    if (!FILE_NAME.test(basename(file.pathname))) {
      yield `pages.guides must be files such as first-steps.md, not ${file.href}`;
    } else if (!existsSync(file)) {
      yield `pages.guides has ${file.href}, which does not exist`;
    } else if (names.has(name)) {
      yield `pages.guides has two files named ${name}.md`;
    }
    names.add(name);
  }
}
