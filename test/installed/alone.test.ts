import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { installNode, runWith, THIS_NODE } from './support/nodes.ts';
import { packedTarballs } from './support/tarballs.ts';
import { exportsOf, object, unpack } from './support/unpacked.ts';

/** The settings of `tsc --init` for Node.js, but stricter: third-party declarations are also checked. */
const TSCONFIG = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
  },
};
/** Preloaded rather than imported, in a project's root folder. It ends a program that cannot start. */
const PRELOADED = '@store-gateway/gateway/preflight';
const TSC = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');

const node22 = await installNode(22, 10);

/** Installs packages into a new project, with this repository's packages from their tarballs. */
async function installInto(folder: string, packages: readonly string[]): Promise<void> {
  const manifest = JSON.stringify({ name: 'stranger', private: true, type: 'module' });
  await writeFile(join(folder, 'package.json'), manifest);
  await runWith(node22, folder, 'npm', [
    'install',
    '--save-exact',
    '--ignore-scripts',
    ...packages,
  ]);
}

test.each(await packedTarballs())(
  '$name, installed alone, loads on Node.js 22 with complete types',
  async (tarball) => {
    const unpacked = await unpack(tarball);
    const specifiers = Array.from(exportsOf(unpacked).keys());
    await using folder = await temporaryDirectory();
    const project = join(folder.path, 'project');
    await mkdir(project);
    // Cached versions of other packages are new enough.
    await writeFile(join(project, '.npmrc'), 'prefer-offline=true\n');
    const { peerDependenciesMeta, peerDependencies } = unpacked.manifest;
    const optional = Object.keys(object(peerDependenciesMeta))
      .filter((peer) => peer !== '@types/node')
      .map((peer) => `${peer}@${String(object(peerDependencies)[peer])}`);
    await installInto(project, [tarball.name, '@types/node@22', ...optional]);

    const loaded = specifiers.filter((specifier) => specifier !== PRELOADED);
    const loading = loaded.map((specifier) => `await import('${specifier}');\n`);
    await writeFile(join(project, 'load.js'), loading.join(''));
    expect(await runWith(node22, project, 'node', ['load.js'])).toBe('');

    const imports = specifiers.map(
      (specifier, index) => `export * as _${index} from '${specifier}';\n`,
    );
    await writeFile(join(project, 'index.ts'), imports.join(''));
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    expect(await runWith(THIS_NODE, project, 'node', [TSC, '--pretty', 'false'])).toBe('');
  },
);
