import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buildSchema, parse, validate } from 'graphql';
import { afterAll } from 'vitest';
import { linkPackages } from './linked-packages.ts';
import { ROOT } from './newcomer.ts';
import { openSession } from './session.ts';
import { isShown } from './shown-output.ts';
import { stepsOf, type CommandStep, type FileStep, type Step } from './steps.ts';

interface Premises {
  /** Commands that run while the page is followed, such as `npm start`. */
  readonly running?: string;
  /** The folder of this repository that has the packages which the page installs. */
  readonly packagesOf?: string;
}

/** What a step led to, and what the page promises of it. */
interface Outcome {
  readonly came: unknown;
  readonly promised: unknown;
}

const DONE: Outcome = { came: 'done', promised: 'done' };

/**
 * Opens a page for somebody who has a store of their own. Its steps are to be taken in order.
 *
 * @returns steps, each with a name for its test, and what takes one
 */
export async function followPage(page: string, { running, packagesOf }: Premises = {}) {
  const session = await openSession();
  afterAll(() => session[Symbol.asyncDispose]());
  if (running !== undefined) {
    await session.serve(running);
  }

  async function run(step: CommandStep): Promise<Outcome> {
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
    const isAsShown = shown === undefined || isShown(shown, output);
    return {
      came: { fails: code !== 0, output },
      promised: { fails, output: isAsShown ? output : shown.text },
    };
  }

  async function write({ path, text, continued, partOf }: FileStep): Promise<Outcome> {
    const file = join(await session.folder(), path);
    await mkdir(dirname(file), { recursive: true });
    await (continued ? appendFile : writeFile)(file, text);
    const whole = partOf === undefined ? text : await readFile(join(ROOT, partOf), 'utf8');
    return { came: whole.includes(text) ? text : whole, promised: text };
  }

  const steps = stepsOf(await readFile(join(ROOT, page), 'utf8'));
  return {
    steps: steps.map((step) => ({ name: `line ${step.line}: ${nameOf(step)}`, step })),
    take: async (step: Step): Promise<Outcome> => {
      if (step.kind === 'document') {
        return { came: await faultsOf(step.text), promised: [] };
      }
      return step.kind === 'command' ? run(step) : write(step);
    },
  };
}

function nameOf(step: Step): string {
  if (step.kind === 'document') {
    return 'fits the schema';
  }
  if (step.kind === 'file') {
    return step.path;
  }
  return step.needs === undefined
    ? (step.text.split('\n', 1)[0] ?? '')
    : `not run, needs ${step.needs}`;
}

/** What is wrong with a GraphQL document, by the schema that the repository has. */
async function faultsOf(document: string): Promise<string[]> {
  const schema = buildSchema(await readFile(join(ROOT, 'schema.graphql'), 'utf8'));
  return validate(schema, parse(document)).map(({ message }) => message);
}
