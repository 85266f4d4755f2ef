import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Package } from './packages.ts';

/** Writes the page that links to the packages' pages. */
export function writeIndex(folder: string, packages: readonly Package[]): void {
  const list = packages.map(
    ({ name, folder: page, description }) => `- [${name}](${page}.md): ${description}`,
  );
  writeFileSync(
    join(folder, 'README.md'),
    `# Reference of the packages

For developers who build a service with the packages: what their modules export. \`npm run reference\` generates it from docstrings.
Times are in milliseconds and sizes in bytes, unless a name or its description says otherwise.

${list.join('\n')}
`,
  );
}
