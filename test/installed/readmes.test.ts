import { globSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { joinEmbeddedPostgres } from '@store-gateway/local';
import { onFileFinished } from '../support/clean-up.ts';
import { createDatabase } from '../support/database.ts';
import { fencedBlocks, type FencedBlock, isShown } from '../support/documentation/steps.ts';
import { ROOT } from '../support/documentation/newcomer.ts';
import { EMBEDDED } from '../support/store-database.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { installNode, type NodeWithNpm, runWith } from './support/nodes.ts';

const PACKAGES = globSync('packages/*/package.json', { cwd: ROOT }).map((manifest) =>
  basename(dirname(manifest)),
);

/** The oldest Node.js that the packages support. */
let node: NodeWithNpm;
let postgresUrl: string;

beforeAll(async () => {
  node = await installNode(22, 10);
  const directory = await temporaryDirectory();
  onFileFinished(async () => {
    await directory[Symbol.asyncDispose]();
  });
  const { url, leave } = await joinEmbeddedPostgres(directory.path, EMBEDDED);
  onFileFinished(leave);
  postgresUrl = url;
});

/** A program and what it prints. */
interface Usage {
  /** The heading of the program's topic; empty if the README has only one topic. */
  readonly topic: string;
  /** Files that the program needs, by name: blocks marked by `<!-- file: NAME -->`. */
  readonly files: ReadonlyMap<string, string>;
  /** Commands between installing and running, such as a generator's. */
  readonly commands: readonly string[];
  /** Undefined if the package is itself a command, which is the last of the commands. */
  readonly program: string | undefined;
  /** What the program, or that command, prints; `…` stands for any text. */
  readonly output: FencedBlock;
}

/** Bounds for a program's lines: enough to show something, but few enough to be read. */
const SHORTEST = 10;
const LONGEST = 30;

/** Headings that each topic has, in this order; others may be between them. */
const HEADINGS = ['Usage', 'Guarantees', 'Limits', 'Why not '];

/**
 * Reads the command that installs a package, and its programs: one for each topic, if there are several.
 *
 * @throws Error that says what the README lacks
 */
async function readReadme(packageName: string) {
  const markdown = await readFile(join(ROOT, 'packages', packageName, 'README.md'), 'utf8');
  if (!markdown.startsWith(`# @store-gateway/${packageName}\n\n`)) {
    throw new Error(`it begins with another heading than @store-gateway/${packageName}`);
  }
  const sections = sectionsOf(markdown, '## ');
  const [install] = blocksOf(sections, 'Install', 'sh');
  if (install === undefined) {
    throw new Error('it lacks the command to install');
  }
  const topics = sections.has('Usage')
    ? [usageOf('', sections)]
    : Array.from(sections)
        .filter(([heading]) => heading !== 'Install')
        .map(([heading, text]) => usageOf(heading, sectionsOf(text, '### ')));
  return { install: install.text, usages: topics };
}

function usageOf(topic: string, sections: ReadonlyMap<string, string>): Usage {
  expectOrder(Array.from(sections.keys()));
  const [program, ...others] = fencedBlocks(sections.get('Usage') ?? '').filter(
    (block) => block.language === 'ts' && !block.marks.has('file'),
  );
  const outputs = blocksOf(sections, 'Usage', 'text');
  const [output] = outputs;
  const commands = blocksOf(sections, 'Usage', 'sh').map(({ text }) => text);
  if (output === undefined || (program ?? commands[0]) === undefined) {
    throw new Error(`${topic} lacks the program, or what that prints`);
  }
  if (others.length > 0 || outputs.length > 1) {
    throw new Error(`${topic} has more than one program, or output`);
  }
  const lines = program?.text.split('\n').length ?? SHORTEST;
  if (lines < SHORTEST || lines > LONGEST) {
    throw new Error(`its program has ${lines} lines, not ${SHORTEST} to ${LONGEST}`);
  }
  return {
    topic,
    files: new Map(
      fencedBlocks(sections.get('Usage') ?? '').flatMap(({ marks, text }) => {
        const file = marks.get('file');
        return file === undefined ? [] : [[file, `${text}\n`]];
      }),
    ),
    commands,
    program: program && `${program.text}\n`,
    output,
  };
}

function blocksOf(sections: ReadonlyMap<string, string>, heading: string, language: string) {
  return fencedBlocks(sections.get(heading) ?? '').filter((block) => block.language === language);
}

/** Splits Markdown into sections by heading, at the level of a mark such as `## `. */
function sectionsOf(markdown: string, mark: string): ReadonlyMap<string, string> {
  const sections = markdown.split(new RegExp(`^${mark}`, 'm')).slice(1);
  return new Map(
    sections.map((section) => [section.slice(0, section.indexOf('\n')), section] as const),
  );
}

function expectOrder(headings: readonly string[]): void {
  const found = HEADINGS.map((wanted) =>
    headings.findIndex((heading) => heading.startsWith(wanted)),
  );
  if (found.some((index, at) => index === -1 || index < (found[at - 1] ?? 0))) {
    throw new Error(`it has the headings ${headings.join(', ')}, not ${HEADINGS.join(', ')}…`);
  }
}

/** Strict, and also checks the types of packages. */
const TSCONFIG = {
  compilerOptions: {
    strict: true,
    skipLibCheck: false,
    module: 'nodenext',
    target: 'es2024',
    lib: ['es2024'],
    types: ['node'],
    noEmit: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
  },
};

/** Makes npm prefer its cache, and answers its prompts with yes. */
const OF_NPM = { npm_config_prefer_offline: 'true', npm_config_yes: 'true' };

/** Creates an empty project outside this repository. @param env the environment of its programs */
async function createConsumer(env: NodeJS.ProcessEnv) {
  const directory = await temporaryDirectory();
  const { path } = directory;

  async function write(files: ReadonlyMap<string, string>): Promise<void> {
    for (const [name, text] of files) {
      const file = join(path, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
  }
  const run = (commands: string): Promise<string> =>
    runWith(node, path, 'sh', ['-ec', commands], {
      ...OF_NPM,
      // npm's cache may have a different create with the same version from an earlier run.
      ...(commands.startsWith('npm create') && { npm_config_cache: join(path, 'npm-cache') }),
      ...env,
    });

  await write(
    new Map([
      // A shell does not pass on an environment variable with such a name.
      ['.npmrc', `@store-gateway:registry=${inject('registryUrl')}\n`],
      ['package.json', '{ "private": true, "type": "module" }\n'],
      ['tsconfig.json', JSON.stringify(TSCONFIG)],
    ]),
  );
  return {
    write,
    run,
    compile: async () => {
      await run('npm install --save-dev @types/node@22');
      await run(`'${join(ROOT, 'node_modules/.bin/tsc')}'`);
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

const readmes = await Promise.all(
  PACKAGES.map(async (name) => [name, await readReadme(name)] as const),
);

describe.concurrent.each(readmes)('the README of %s', (name, { install, usages }) => {
  test('installs all required peers with their versions', async () => {
    const manifest = await readFile(join(ROOT, 'packages', name, 'package.json'), 'utf8');
    const missing = requiredPeers(manifest).filter((peer) => !install.includes(` ${peer}@`));
    expect(missing).toEqual([]);
  });

  test.each(usages.map((usage) => [usage.topic, usage] as const))(
    'has a program that compiles and prints the output shown: %s',
    async (_topic, { files, commands, program, output }) => {
      await using consumer = await createConsumer({
        DATABASE_URL: await createDatabase(postgresUrl),
        // `prisma generate` requires an engine, which it would download but never runs.
        PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
        // Fixes the order in which a folder is listed.
        LC_ALL: 'C',
      });
      await consumer.write(files);
      await consumer.run(install);
      let printed = '';
      for (const command of commands) {
        printed = await consumer.run(command);
      }
      if (program !== undefined) {
        await consumer.write(new Map([['usage.ts', program]]));
        await consumer.compile();
        printed = await consumer.run('node usage.ts');
      }
      expect(isShown(output, printed), `it prints:\n${printed}`).toBe(true);
    },
  );
});

/** The peers of a package that are not optional. */
function requiredPeers(text: string): string[] {
  const manifest: unknown = JSON.parse(text);
  const { peerDependencies: peers = {}, peerDependenciesMeta: meta = {} } = isJsonObject(manifest)
    ? manifest
    : {};
  const optional = isJsonObject(meta) ? meta : {};
  return Object.keys(isJsonObject(peers) ? peers : {}).filter((peer) => !(peer in optional));
}
