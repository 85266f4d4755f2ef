// Prints the notes in CHANGELOG.md for the version in package.json.
import { readFile } from 'node:fs/promises';
import packageJson from '../../package.json' with { type: 'json' };
import { notesOf } from './changelog.ts';

const changelog = await readFile(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');
process.stdout.write(`${notesOf(changelog, packageJson.version)}\n`);
