import { readFileSync } from 'node:fs';
import { appendFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buildSchema, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { runProgram, type ChildEntry } from '../process.ts';
import { newcomer, ROOT } from './newcomer.ts';
import { FOLLOWED } from './pages.ts';
import {
  changed,
  isShown,
  stepsOf,
  type ChangeStep,
  type CommandStep,
  type FileStep,
  type Step,
} from './steps.ts';

/** A step's actual outcome, and the one that the page promises. */
interface Outcome {
  readonly came: unknown;
  readonly promised: unknown;
}

/** The timeout for a step in milliseconds: `npm test` takes minutes. */
const TIMEOUT = 1_200_000;

const DONE: Outcome = { came: 'done', promised: 'done' };

/** Defines a page's tests: its steps, performed in order by a newcomer with an empty store. */
export function testPage(page: string): void {
  const { running, packagesOf } = FOLLOWED.get(page) ?? {};
  describe(`commands of ${page}`, () => {
    const opened = new AsyncDisposableStack();
    let session: Session;
    beforeAll(async () => {
      session = opened.use(await openSession());
      if (running !== undefined) {
        await session.serve(running);
      }
    });
    afterAll(() => opened.disposeAsync());

    const steps = stepsOf(readFileSync(join(ROOT, page), 'utf8'));
    const named = steps.map((step) => ({ name: `line ${step.line}: ${nameOf(step)}`, step }));
    test.each(named)('$name', { timeout: TIMEOUT }, async ({ step }) => {
      const { came, promised } = await take(step, session, packagesOf);
      expect(came).toEqual(promised);
    });
  });
}

async function take(
  step: Step,
  session: Session,
  packagesOf: string | undefined,
): Promise<Outcome> {
  if (step.kind === 'document') {
    return { came: await faultsOf(step.text), promised: [] };
  }
  if (step.kind === 'change') {
    return change(step, session);
  }
  return step.kind === 'command' ? run(step, session, packagesOf) : write(step, session);
}

async function run(
  step: CommandStep,
  session: Session,
  packagesOf: string | undefined,
): Promise<Outcome> {
  if (step.needs !== undefined) {
    if (packagesOf !== undefined) {
      await linkPackages(step.text, packagesOf, await session.folder());
    }
    return DONE;
  }
  if (step.keepsRunning) {
    await session.serve(step.text);
    return DONE;
  }
  const { fails, shown } = step;
  const { code, output } = await session.run(step.text, fails);
  const hasFailed = code !== 0;
  const isAsPromised = hasFailed === fails && (shown === undefined || isShown(shown, output));
  return {
    came: { fails: hasFailed, output },
    promised: { fails, output: isAsPromised ? output : (shown?.text ?? '…') },
  };
}

async function change({ path, diff }: ChangeStep, session: Session): Promise<Outcome> {
  const file = join(await session.folder(), path);
  await writeFile(file, changed(await readFile(file, 'utf8'), diff));
  return DONE;
}

async function write(
  { path, text, continued, partOf }: FileStep,
  session: Session,
): Promise<Outcome> {
  const file = join(await session.folder(), path);
  await mkdir(dirname(file), { recursive: true });
  await (continued ? appendFile : writeFile)(file, text);
  const whole = partOf === undefined ? text : await readFile(join(ROOT, partOf), 'utf8');
  return { came: whole.includes(text) ? text : whole, promised: text };
}

function nameOf(step: Step): string {
  if (step.kind === 'document') {
    return 'fits the schema';
  }
  if (step.kind === 'file' || step.kind === 'change') {
    return step.path;
  }
  return step.needs === undefined
    ? (step.text.split('\n', 1)[0] ?? '')
    : `not run, needs ${step.needs}`;
}

/** Returns a GraphQL document's validation errors against the repository's schema. */
async function faultsOf(document: string): Promise<string[]> {
  const schema = buildSchema(await readFile(join(ROOT, 'schema.graphql'), 'utf8'));
  return validate(schema, parse(document)).map(({ message }) => message);
}

/** The service's address on the pages. */
const ADDRESS = 'http://127.0.0.1:4000';

type Session = Awaited<ReturnType<typeof openSession>>;

/** Opens a newcomer's two terminals: one for the service, one for everything else. */
async function openSession() {
  const { project, scratch, env, ...home } = await newcomer();
  const terminal = openTerminal(project, env, scratch);
  let service: ChildEntry | undefined;
  let address = ADDRESS;
  return {
    /** Runs commands in the service's terminal, replacing those that ran before; resolves when the service listens. */
    serve: async (commands: string): Promise<void> => {
      await service?.[Symbol.asyncDispose]();
      // exec replaces the shell, so that npm receives the signals.
      const args = ['-c', `exec env PORT=0 ${commands}`];
      service = runProgram('sh', args, { root: project, env });
      const line = await service.line('stdout', (text) => text.includes('"msg":"listening"'));
      [address = ADDRESS] = /http:[^"]+/.exec(line) ?? [];
      // The examples use the address on the pages, unless this variable names a different one.
      await terminal.run(`export ANIMAL_STORE_URL=${address}`);
    },
    /** Runs commands until they exit. The address on the pages is replaced in the commands and restored in the output. */
    run: async (commands: string, fails: boolean) => {
      const { code, output } = await terminal.run(commands.replaceAll(ADDRESS, address), fails);
      // HTTP lines end in \r\n, which looks the same on a page.
      return { code, output: output.replaceAll(address, ADDRESS).replaceAll('\r\n', '\n') };
    },
    /** Returns the folder in which the next commands run. */
    folder: async () => (await terminal.run('pwd')).output.trimEnd(),
    [Symbol.asyncDispose]: async () => {
      await terminal[Symbol.asyncDispose]();
      await service?.[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

/** Opens a shell into which blocks of commands are pasted. It keeps its files in `scratch`. */
function openTerminal(root: string, env: NodeJS.ProcessEnv, scratch: string) {
  const shell = runProgram('sh', [], { root, env });
  shell.type(`exec 3>&1; trap 'echo "$count: $?" >&3' EXIT\n`);
  let count = 0;
  return {
    /**
     * Runs commands in the state that earlier ones left, including variables. If a command fails unexpectedly, the rest
     * is skipped and the terminal exits. Returns the exit code and all output.
     */
    run: async (commands: string, fails = false) => {
      count += 1;
      const script = join(scratch, `${count}.sh`);
      const written = join(scratch, `${count}.txt`);
      await writeFile(script, `${commands}\n`);
      const start = `. '${script}' > '${written}' 2>&1 < /dev/null`;
      const strictly = fails ? start : `set -e; ${start}; set +e`;
      shell.type(`count=${count}; ${strictly}; echo "$count: $?" >&3\n`);
      const line = await shell.line('stdout', (text) => text.startsWith(`${count}: `));
      return { code: Number(line.split(' ')[1]), output: await readFile(written, 'utf8') };
    },
    [Symbol.asyncDispose]: () => shell[Symbol.asyncDispose](),
  };
}

/** A package with an optional version: `@urql/core`, `typescript@5`. */
const PACKAGE = /^(?<name>(?:@[\w-]+\/)?[\w.-]+)(?:@(?<version>[\d.]+))?$/;

/**
 * Stands in for `npm install` without the registry: links each package that the commands name to the copy that a folder
 * in this repository has installed.
 */
async function linkPackages(commands: string, installed: string, folder: string) {
  const lines = commands.split('\n').filter((line) => line.startsWith('npm install '));
  const wanted = lines.flatMap((line) => line.split(' ').slice(2));
  for (const word of wanted.filter((argument) => !argument.startsWith('-'))) {
    const { name = word, version = '' } = PACKAGE.exec(word)?.groups ?? {};
    const { path, manifest } = await find(name, [join(ROOT, installed), ROOT]);
    if (!`${String(manifest['version'])}.`.startsWith(version && `${version}.`)) {
      throw new Error(`${word} is asked for, and there is ${String(manifest['version'])}`);
    }
    await link(path, join(folder, 'node_modules', name));
    const programs = isJsonObject(manifest['bin']) ? Object.entries(manifest['bin']) : [];
    for (const [program, file] of programs) {
      await link(join(path, String(file)), join(folder, 'node_modules/.bin', program));
    }
  }
}

async function find(name: string, folders: readonly string[]) {
  for (const folder of folders) {
    const path = join(folder, 'node_modules', name);
    const text = await readFile(join(path, 'package.json'), 'utf8').catch(() => 'null');
    const manifest: unknown = JSON.parse(text);
    if (isJsonObject(manifest)) {
      return { path, manifest };
    }
  }
  throw new Error(`${name} is not installed`);
}

async function link(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await symlink(target, path);
}
