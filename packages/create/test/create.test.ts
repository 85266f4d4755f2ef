import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type Ask, askOn } from '../src/create.ts';
import { expect, onTestFinished, test } from 'vitest';
import { runInProcess } from '../../../test/support/command.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { createCommand } from '@store-gateway/create';

/** Runs the command in a new temporary folder; `read` takes paths relative to it. */
async function create(args: readonly string[], ask?: Ask) {
  const folder = await temporaryDirectory();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const { code, stdout, stderr } = await runInProcess(createCommand(folder.path, ask), args);
  const read = (path: string) => readFile(join(folder.path, path), 'utf8');
  return { folder: folder.path, code, stdout, stderr, read };
}

test('create writes a project and prints the next commands', async () => {
  const { folder, code, stdout, read } = await create(['my-store', '--resource', 'user']);
  expect(code).toBe(0);
  expect(stdout).toBe(
    'Created my-store, a store of users. Next:\n\n  cd my-store\n  npm install && npm start\n',
  );
  const files = await readdir(join(folder, 'my-store'));
  expect(files).toEqual(
    expect.arrayContaining(['.dockerignore', '.github', '.gitignore', '.npmrc', 'Containerfile']),
  );
  expect(await read('my-store/README.md')).toContain('add a user and');
});

test('a created project contains no names from the template', async () => {
  const { folder } = await create(['shop', '--resource', 'opera', '--plural', 'operas']);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  expect(paths).toContain(join(folder, 'shop/src/schema/opera.ts'));
  for (const path of paths) {
    expect(path.slice(folder.length)).not.toMatch(/book|animal/i);
    expect(await readFile(path, 'utf8')).not.toMatch(
      /book|animal(?!-store-gateway\/blob)|\ba opera/i,
    );
  }
});

test('store and resource names may contain words from the template', async () => {
  const { read } = await create(['book-store', '--resource', 'notebook']);
  expect(JSON.parse(await read('book-store/package.json'))).toMatchObject({ name: 'book-store' });
  const type = await read('book-store/src/schema/notebook.ts');
  expect(type).toContain("builder.prismaObject('Notebook'");
  expect(type).toContain("plural: 'notebooks'");
  expect(await read('book-store/README.md')).toContain(
    '](https://github.com/store-gateway/animal-store-gateway/blob/main/docs/tutorial.md)',
  );
});

test('deployment files use the names that the gateway derives, and no paths from this repository', async () => {
  const { read } = await create(['my-store', '--yes']);
  const unit = await read('my-store/deploy/my-store-gateway@.service');
  expect(unit).toContain('ExecStart=/usr/bin/node -r @store-gateway/gateway/preflight src/main.ts');
  expect(unit).toContain('StateDirectory=my-store\n');
  const alerts = await read('my-store/deploy/prometheus-alerts.yml');
  expect(alerts).toContain('expr: my_store_ready{job="my-store-gateway"} == 0');
  expect(alerts).toContain('alert: MyStoreDown');
  const dashboard: unknown = JSON.parse(await read('my-store/deploy/grafana-dashboard.json'));
  expect(dashboard).toMatchObject({ uid: 'my-store-gateway' });
  expect(unit + alerts).not.toMatch(/(?<!main\/)docs\/|packages\//);
});

test('create prompts for missing values on a terminal, unless --yes is given', async () => {
  const asked: string[] = [];
  const ask: Ask = (question, proposal) => {
    asked.push(`${question} (${proposal})`);
    return Promise.resolve(question.startsWith('Name') ? 'shop' : 'wolf');
  };
  const { stdout } = await create(['--plural', 'wolves'], ask);
  expect(asked).toEqual(['Name of the store (my-store)', 'What it stores, in the singular (item)']);
  expect(stdout).toContain('Created shop, a store of wolves.');
  expect((await create(['shop', '--yes'], ask)).stdout).toContain('a store of items.');
  expect(asked).toHaveLength(2);
});

test.each([
  ['Ctrl+C', '\u0003'],
  ['Ctrl+D', '\u0004'],
])('%s at a prompt cancels create, and no project is created', async (_name, key) => {
  const input = new PassThrough();
  input.write(key);
  const { folder, code, stderr } = await create([], askOn(input, new PassThrough()));
  expect([code, stderr]).toEqual([1, 'create: cancelled: nothing was created\n']);
  expect(await readdir(folder)).toEqual([]);
});

const NAME =
  'NAME must be lower-case words with hyphens such as my-store, at most 40 characters, not';
const TAKEN = 'that name is already used for something else';

test.each([
  [[], 'NAME is missing; see --help'],
  [['a', 'b'], 'unexpected "b"; see --help'],
  [['My_Store'], `${NAME} "My_Store"`],
  [['pg-shop'], "NAME can't be pg-shop: PostgreSQL reserves that name for its own roles"],
  [['../shop'], `${NAME} "../shop"`],
  [
    ['shop', '--resource', 'big book'],
    '--resource must be one word of a-z such as book, not "big book"',
  ],
  [['shop', '--resource', 'query'], `--resource can't be query: ${TAKEN}`],
  [['shop', '--resource', 'index'], `--resource can't be index: ${TAKEN}`],
  [
    ['shop', '--resource', 'verse', '--plural', 'text'],
    '--plural must be one word of a-z other than verse such as verses, not "text"',
  ],
  [
    ['shop', '--resource', 'sheep', '--plural', 'sheep'],
    '--plural must be one word of a-z other than sheep such as sheeps, not "sheep"',
  ],
])('create fails with a usage error for the arguments %j', async (args, message) => {
  const { folder, code, stderr } = await create(args);
  expect([code, stderr]).toEqual([2, `create: ${message}\n`]);
  expect(await readdir(folder)).toEqual([]);
});

test('create fails if the folder is not empty or cannot be created', async () => {
  const { folder } = await create(['shop']);
  await mkdir(join(folder, 'mine'));
  await writeFile(join(folder, 'mine/notes'), '');
  await writeFile(join(folder, 'file'), '');
  expect(await runInProcess(createCommand(folder), ['mine'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'create: the folder mine is not empty: choose a different name\n',
  });
  expect(await readdir(join(folder, 'mine'))).toEqual(['notes']);
  const { code, stderr } = await runInProcess(createCommand(folder), ['file']);
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^create: could not create the folder file: EEXIST: .*\n$/),
  ]);
});
