import { delimiter, dirname, join } from 'node:path';
import { inject } from 'vitest';
import { onFileFinished } from '../../support/clean-up.ts';
import { runProgram } from '../../support/process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** A Node.js installation with an npm. */
export interface NodeWithNpm {
  readonly name: string;
  /** The folders of its programs. */
  readonly path: readonly string[];
}

/** Variables that vitest, npm and these tests set, but a user's shell does not. The registry's address is kept. */
const OF_THE_TESTS =
  /^(?:npm_(?!config_(?:registry|userconfig|cache)$)|VITEST|NODE_(?:ENV|OPTIONS|V8_COVERAGE)$|(?:TEST|DEV|PROD|MODE|SSR|BASE_URL|INIT_CWD|LONG_PROPERTIES)$)/;

/** The Node.js that runs the tests, with the machine's npm. */
export const THIS_NODE: NodeWithNpm = {
  name: `Node ${process.versions.node}`,
  path: [dirname(process.execPath)],
};

/** Installs major versions of Node.js and npm, such as 22 and 10, until the tests in the file have finished. */
export async function installNode(major: number, npm: number): Promise<NodeWithNpm> {
  const folder = await temporaryDirectory();
  onFileFinished(async () => {
    await folder[Symbol.asyncDispose]();
  });
  const binary = `node-${process.platform}-${process.arch}`;
  const modules = join(folder.path, 'node_modules');
  const args = ['install', '--prefix', folder.path, `${binary}@${major}`, `npm@${npm}`];
  await runWith(THIS_NODE, folder.path, 'npm', args);
  return {
    name: `Node ${major}, npm ${npm}`,
    path: [join(modules, binary, 'bin'), join(modules, '.bin')],
  };
}

/** An environment with the commands of a Node.js installation, and this repository's packages from its tarballs. */
export function environmentOf({ path }: NodeWithNpm): NodeJS.ProcessEnv {
  // oxlint-disable-next-line node/no-process-env -- as a user's shell has it
  const { PATH = '', ...inherited } = process.env;
  const ofOthers = PATH.split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return {
    ...Object.fromEntries(Object.entries(inherited).filter(([name]) => !OF_THE_TESTS.test(name))),
    PATH: [...path, ...ofOthers].join(delimiter),
    'npm_config_@store-gateway:registry': inject('registryUrl'),
    // `npm create` asks before it downloads.
    npm_config_yes: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  };
}

/**
 * Runs a command until it exits.
 *
 * @returns what it has written to stdout
 * @throws Error with all of its output, if it fails
 */
export async function runWith(
  node: NodeWithNpm,
  folder: string,
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  await using child = runProgram(command, args, {
    root: folder,
    env: { ...environmentOf(node), ...env },
  });
  const { code, signal } = await child.exit;
  if (code !== 0) {
    throw new Error(
      `${command} ${args.join(' ')} has failed (${code ?? signal}):\n${child.stdout()}${child.stderr()}`,
    );
  }
  return child.stdout();
}
