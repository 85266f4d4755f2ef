import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Copies an example and the files that its checks read. */
async function copyOf(example: 'rest-client' | 'graphql-client') {
  const tree = await temporaryDirectory();
  const folder = join(tree.path, 'examples', example);
  await mkdir(folder, { recursive: true });
  for (const file of ['tsconfig.json', 'schema.graphql']) {
    await cp(join(ROOT, file), join(tree.path, file));
  }
  await cp(join(ROOT, 'examples', example), folder, {
    recursive: true,
    filter: (source) => !source.endsWith('node_modules'),
  });
  await symlink(join(ROOT, 'node_modules'), join(tree.path, 'node_modules'));
  await symlink(join(ROOT, 'examples', example, 'node_modules'), join(folder, 'node_modules'));
  const client = await readFile(join(folder, 'client.ts'), 'utf8');
  return {
    path: tree.path,
    folder,
    /** Writes the client with `wrong` in place of `right`, and returns the line number. */
    writeWith: async (file: string, right: string, wrong: string) => {
      expect(client.split(right)).toHaveLength(2);
      await writeFile(join(folder, file), client.replace(right, wrong));
      return client.slice(0, client.indexOf(right)).split('\n').length;
    },
    [Symbol.asyncDispose]: () => tree[Symbol.asyncDispose](),
  };
}

/** Runs a check in `folder`, with its programs first on PATH, and returns its output and exit code. */
function check(folder: string, program: string, args: readonly string[]) {
  const PATH = [join(folder, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  return new Promise<{ code: number | null; output: string }>((resolve) => {
    const child = execFile(
      program,
      args,
      { cwd: folder, env: { ...process.env, PATH, NO_COLOR: '1' } },
      (_error, stdout, stderr) => {
        resolve({ code: child.exitCode, output: stdout + stderr });
      },
    );
  });
}

test('each mistake in the REST client is reported as a type error', async () => {
  await using copy = await copyOf('rest-client');
  const faults = [
    ['path.ts', "GET('/pets')", "GET('/petz')"],
    ['parameter.ts', "'available', limit }", "'available', limit, colour: 1 }"],
    ['value.ts', "'available', limit }", "'for sale', limit }"],
    ['member.ts', "name: 'Rex',", "nmae: 'Rex',"],
    ['answer.ts', 'added.data.name', 'added.data.nmae'],
    ['error.ts', 'refused.error?.code', 'refused.error?.kode'],
  ] as const;
  const expected: string[] = [];
  for (const [file, right, wrong] of faults) {
    expected.push(`${file}:${await copy.writeWith(file, right, wrong)}`);
  }
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  const { code, output } = await check(copy.folder, tsc, ['--pretty', 'false']);
  const found = output.matchAll(/^(.+)\((\d+),\d+\): error /gm);
  expect(code).toBe(1);
  const places = new Set(Array.from(found, ([, file, line]) => `${file}:${line}`));
  expect(places).toEqual(new Set(expected));
});

test('npm run check reports exactly the documents that do not match the schema', async () => {
  await using copy = await copyOf('graphql-client');
  const field = await copy.writeWith('field.ts', '        id\n', '        colour\n');
  const argument = await copy.writeWith('argument.ts', 'limit: $limit,', 'count: $limit,');
  const value = await copy.writeWith('value.ts', 'status: available,', 'status: rented,');
  const { code, output } = await check(copy.folder, 'gql.tada', ['check', '--fail-on-warn']);
  expect(code).toBe(1);
  expect(output.trim().split(/\s*\n\s*/)).toEqual([
    'argument.ts',
    expect.stringMatching(
      `^${argument}:\\d+\terror\tUnknown argument "count" on field "Query.petsConnection".$`,
    ),
    'field.ts',
    expect.stringMatching(`^${field}:\\d+\terror\tCannot query field "colour" on type "Pet".$`),
    'value.ts',
    expect.stringMatching(
      `^${value}:\\d+\terror\tValue "rented" does not exist in "PetStatus" enum.$`,
    ),
    '✖ 3 problems (3 errors, 0 warnings)',
  ]);
});
