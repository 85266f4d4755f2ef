import type { TemporaryDirectory } from '../../test/support/temporary-directory.ts';
import { editedTree } from '../processes/edited-tree.ts';

/** Replaces Pet's name with the second model's. */
export function renamed(text: string): string {
  return text.replaceAll('Pet', 'Toy').replaceAll('pet', 'toy');
}

/**
 * Creates a copy of the gateway with a second model, Toy, which is written like Pet, with the same columns, filter and routes.
 */
export async function treeWithSecondModel(signal: AbortSignal): Promise<TemporaryDirectory> {
  return editedTree(
    'toys',
    async (edit) => {
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
    },
    signal,
  );
}
