import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inject } from 'vitest';
import { ROOT } from '../../support/documentation/newcomer.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { runWith, type NodeWithNpm } from './nodes.ts';

/** A project of somebody who has only what is published. */
export interface Consumer extends AsyncDisposable {
  /** Writes files, by their paths within the project. */
  readonly write: (files: ReadonlyMap<string, string>) => Promise<void>;
  /** Runs commands of a shell, and gives what they print. @throws if one of them fails */
  readonly run: (commands: string) => Promise<string>;
  /** Checks the types of its programs, and of what they import. */
  readonly compile: () => Promise<void>;
}

/** Strict, and without indulgence for the types of packages. */
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

/** Takes what npm has fetched before, and answers as somebody at a terminal does. */
const OF_NPM = { npm_config_prefer_offline: 'true', npm_config_yes: 'true' };

/**
 * Makes an empty project, outside this repository.
 *
 * @param env what its programs find in their environment
 */
export async function createConsumer(node: NodeWithNpm, env: NodeJS.ProcessEnv): Promise<Consumer> {
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
    runWith(node, path, 'sh', ['-ec', commands], { ...OF_NPM, ...env });

  await write(
    new Map([
      // A shell passes on no environment variable of such a name.
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
