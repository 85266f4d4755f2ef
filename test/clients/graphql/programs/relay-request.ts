import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ConcreteRequest } from 'relay-runtime';

const run = promisify(execFile);

const ROOT = join(import.meta.dirname, '../../../..');
const COMPILER = join(ROOT, 'test/clients/node_modules/.bin/relay-compiler');

/** Compiles a document with relay-compiler, which requires the operation to be named after its module. */
export async function requestOf(document: string): Promise<ConcreteRequest> {
  const [, name = '', module = ''] = /^\w+ ((\w+)(?:Query|Mutation))/.exec(document) ?? [];
  const directory = await mkdtemp(join(tmpdir(), 'relay-'));
  try {
    const config = {
      src: './src',
      schema: './schema.graphql',
      artifactDirectory: './artifacts',
      language: 'typescript',
      useImportTypeSyntax: true,
      noSourceControl: true,
    };
    await Promise.all(['src', 'artifacts'].map((folder) => mkdir(join(directory, folder))));
    await copyFile(join(ROOT, 'schema.graphql'), join(directory, 'schema.graphql'));
    await writeFile(join(directory, 'src', `${module}.ts`), `graphql\`${document}\`;`);
    await writeFile(join(directory, 'relay.config.json'), JSON.stringify(config));
    await run(COMPILER, [], { cwd: directory });
    const artifact = await import(join(directory, 'artifacts', `${name}.graphql.ts`));
    return artifact.default;
  } finally {
    await rm(directory, { recursive: true });
  }
}
