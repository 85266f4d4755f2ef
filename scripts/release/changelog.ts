import type { ChangeSet } from './change-sets.ts';

/** Turns the unreleased notes into those of a version, and adds those of the packages. */
export function release(
  changelog: string,
  version: string,
  changeSets: readonly ChangeSet[],
): string {
  const [before = '', unreleased = '', ...older] = sectionsOf(changelog);
  if (!unreleased.startsWith('## Unreleased\n')) {
    throw new Error('"## Unreleased" is not the first section of CHANGELOG.md');
  }
  const notes = [notesIn(unreleased), packagesSection(changeSets)].filter((part) => part !== '');
  const released = `## Unreleased\n\n## ${version}\n\n${notes.join('\n\n')}\n\n`;
  return [before, released, ...older].join('');
}

/** The notes of a version, without its heading. */
export function notesOf(changelog: string, version: string): string {
  return notesIn(sectionsOf(changelog).find((section) => section.startsWith(`## ${version}\n`)));
}

/** Splits a changelog into the text before the first version, and each version. */
function sectionsOf(changelog: string): string[] {
  return changelog.split(/^(?=## )/m);
}

function notesIn(section = ''): string {
  return section.slice(section.indexOf('\n') + 1).trim();
}

function packagesSection(changeSets: readonly ChangeSet[]): string {
  const items = changeSets.map(({ packages, bump, summary }) => {
    const names = packages.map((name) => `\`${name}\``).join(', ');
    const breaking = bump === 'major' ? ' (breaking)' : '';
    return `- **${names}${breaking}:** ${summary}`.replaceAll(/\n(?!\n)/g, '\n  ');
  });
  return items.length === 0 ? '' : `### Packages\n\n${items.join('\n')}`;
}
