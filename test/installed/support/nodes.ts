import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { inject } from 'vitest';
import { onFileFinished } from '../../support/clean-up.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** A Node with the npm that comes with it. */
export interface NodeWithNpm {
  readonly name: string;
  /** The folders of its programs. */
  readonly path: readonly string[];
}

/** What npm and the programs that it runs are to know of this process: the way to the registry, and nothing of this repository. */
const KEPT =
  /^(?:HOME|USER|LANG|TMPDIR|.*_proxy|npm_config_(?:registry|userconfig|cache|cafile|fetch_.*))$/i;

/** The one that runs the tests, with the npm of the machine. */
export const THIS_NODE: NodeWithNpm = {
  name: `Node ${process.versions.node}`,
  path: [dirname(process.execPath)],
};

/** Installs a Node and an npm, until the tests of the file have finished. @param major such as 22 and 10 */
export async function installNode(major: number, npm: number): Promise<NodeWithNpm> {
  const folder = await temporaryDirectory();
  onFileFinished(async () => {
    await folder[Symbol.asyncDispose]();
  });
  const package_ = `node-${process.platform}-${process.arch}`;
  const modules = join(folder.path, 'node_modules');
  const args = ['install', '--prefix', folder.path, `${package_}@${major}`, `npm@${npm}`];
  runWith(THIS_NODE, folder.path, 'npm', args);
  return {
    name: `Node ${major}, npm ${npm}`,
    path: [join(modules, package_, 'bin'), join(modules, '.bin')],
  };
}

/** The environment in which commands are those of a Node, and packages of this repository come from its tarballs. */
export function environmentOf({ path }: NodeWithNpm): NodeJS.ProcessEnv {
  // oxlint-disable-next-line node/no-process-env -- as a user's shell has it
  const { PATH = '', ...inherited } = process.env;
  const ofOthers = PATH.split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return {
    ...Object.fromEntries(Object.entries(inherited).filter(([name]) => KEPT.test(name))),
    PATH: [...path, ...ofOthers].join(delimiter),
    'npm_config_@store-gateway:registry': inject('registryUrl'),
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
  };
}

/**
 * Runs a command to its end.
 *
 * @returns what it has written to stdout
 * @throws with all that it has written, if it fails
 */
export function runWith(
  node: NodeWithNpm,
  folder: string,
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...environmentOf(node), ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) {
    throw new Error(`${command} ${args.join(' ')} has failed (${status}):\n${stdout}${stderr}`);
  }
  return stdout;
}
