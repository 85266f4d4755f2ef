import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type TemporaryDirectory, temporaryTree } from '../../test/support/temporary-directory.ts';
import { inherited } from '../processes/command.ts';

const PARTS = ['docs', 'packages', 'prisma', 'prisma.config.ts', 'scripts', 'src', 'package.json'];

/** The model's name, wherever Pet's is. */
export function renamed(text: string): string {
  return text.replaceAll('Pet', 'Toy').replaceAll('pet', 'toy');
}

/** A copy of the gateway with a second model, Toy, that is written as Pet is: with the same columns, filter and routes. */
export async function treeWithSecondModel(signal: AbortSignal): Promise<TemporaryDirectory> {
  const tree = await temporaryTree(PARTS);
  const path = (file: string) => join(tree.path, file);
  const edit = async (file: string, change: (text: string) => string, target = file) => {
    const text = await readFile(path(file), 'utf8');
    const changed = change(text);
    if (changed === text) throw new Error(`${file} has no Pet where it is looked for`);
    await writeFile(path(target), changed);
  };
  const run = (...args: readonly string[]) =>
    promisify(execFile)(process.execPath, args, { cwd: tree.path, env: inherited(), signal });

  await edit('prisma/schema.prisma', (text) =>
    text.replaceAll(
      /^(?:model Pet|enum PetStatus) \{.*?^\}\n/gms,
      (block) => block + renamed(block),
    ),
  );
  await edit('src/schema/pet.ts', renamed, 'src/schema/toy.ts');
  await edit('src/schema/index.ts', (text) =>
    text.replace("import './pet.ts';\n", (line) => line + renamed(line)),
  );
  await edit('src/rest/routes.ts', renamed, 'src/rest/toys.ts');
  await edit('src/rest/routes.ts', (text) =>
    `import { routes as toys } from './toys.ts';\n${text}`.replace(/\];\n$/, '...toys];\n'),
  );
  await run('node_modules/prisma/build/index.js', 'generate');
  await run('scripts/create-migration.ts', 'toys');
  return tree;
}
