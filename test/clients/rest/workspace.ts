import { execFile } from 'node:child_process';
import { cp, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { isJsonObject } from '@store-gateway/ops';
import type { Gateway } from '../../support/gateway.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { CLIENTS } from './clients.ts';

const run = promisify(execFile);
const INSTALLED = join(import.meta.dirname, '../node_modules');
const OPENAPI = join(import.meta.dirname, '../../../openapi.json');

/** Generates, type-checks and compiles the clients' programs in a temporary folder. */
export async function compiledPrograms() {
  const folder = await temporaryDirectory();
  const PATH = [join(INSTALLED, '.bin'), process.env['PATH']].join(delimiter);
  const env = { ...process.env, PATH };
  await cp(join(import.meta.dirname, 'programs'), folder.path, { recursive: true });
  await cp(OPENAPI, join(folder.path, 'openapi.json'));
  await writeFile(join(folder.path, 'package.json'), '{"type":"module"}');
  await symlink(INSTALLED, join(folder.path, 'node_modules'));
  for (const { folder: name, generate } of CLIENTS) {
    if (generate) {
      const [program, ...args] = generate;
      await run(program, args, { cwd: join(folder.path, name), env });
    }
  }
  await run('tsc', [], { cwd: folder.path, env }).catch((error: unknown) => {
    // tsc prints errors to stdout, which the error's message omits.
    throw new Error(String(Reflect.get(Object(error), 'stdout')), { cause: error });
  });
  return {
    /** Runs a program and returns its `Outcomes`, with bigints as strings. */
    outcomesOf: async (name: string, { url, key }: Gateway): Promise<Record<string, unknown>> => {
      const program = join(folder.path, 'dist', name, 'program.js');
      const { stdout } = await run(process.execPath, [program], {
        env: { ...env, ANIMAL_STORE_URL: url, API_KEY: key },
      });
      const told: unknown = JSON.parse(stdout);
      return isJsonObject(told) ? told : {};
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}
