import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { makeDebian } from './debian.ts';
import type { Podman } from './podman.ts';

/** What Node is linked with. */
const LIBRARIES = ['libatomic1', 'libstdc++6'];

/**
 * Makes an image in place of the one that deploy/Containerfile builds on, because no registry may be reachable. Like that
 * one, it has Node, npm and a user for the service.
 */
export async function makeBaseImage(podman: Podman): Promise<string> {
  const name = await nameOfBase();
  await using directory = await temporaryDirectory();
  const archive = join(directory.path, 'base.tar');
  await makeDebian(archive, {
    variant: 'essential',
    packages: LIBRARIES,
    prefix: '/usr/local',
    finish: [
      'echo node:x:1000:1000::/home/node:/bin/sh >> "$1/etc/passwd"',
      'echo node:x:1000: >> "$1/etc/group"',
      'install -d -o 1000 -g 1000 "$1/home/node"',
    ],
  });
  await podman.run(['import', '--quiet', archive, name]);
  return name;
}

async function nameOfBase(): Promise<string> {
  const file = await readFile(new URL('../../../deploy/Containerfile', import.meta.url), 'utf8');
  const names = new Set(Array.from(file.matchAll(/^FROM (\S+)/gm), ([, name]) => name));
  const [name] = names;
  if (name === undefined || names.size > 1) {
    throw new Error(`deploy/Containerfile builds on ${[...names].join(' and ')}`);
  }
  return name;
}
