import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export type Bump = 'major' | 'minor' | 'patch';

/** A change set: what changes in which packages, and what their users have to do. */
export interface ChangeSet {
  /** Without the scope. */
  readonly packages: readonly string[];
  /** The largest bump of its packages. */
  readonly bump: Bump;
  /** Markdown. */
  readonly summary: string;
}

/** From the largest to the smallest. */
const BUMPS: readonly Bump[] = ['major', 'minor', 'patch'];

/** The change sets in a folder, the largest first. */
export async function readChangeSets(folder: string): Promise<readonly ChangeSet[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md'));
  const sets = await Promise.all(
    names
      .toSorted()
      .map(async (name) => parseChangeSet(await readFile(join(folder, name), 'utf8'))),
  );
  return sets.toSorted((a, b) => BUMPS.indexOf(a.bump) - BUMPS.indexOf(b.bump));
}

/** Parses a change set. Its names and bumps are checked later by changesets itself. */
export function parseChangeSet(text: string): ChangeSet {
  const [, head = '', summary = ''] = /^---\n(.*?)---\n(.*)$/s.exec(text) ?? [];
  const lines = head.matchAll(/^['"]?(?:@[^/]+\/)?([^'":]+)['"]?: *(\w+)$/gm);
  const bumpOf = new Map(Array.from(lines, ([, name = '', bump = '']) => [name, bump]));
  const bumps = new Set(bumpOf.values());
  return {
    packages: Array.from(bumpOf.keys()),
    bump: BUMPS.find((bump) => bumps.has(bump)) ?? 'patch',
    summary: summary.trim(),
  };
}
