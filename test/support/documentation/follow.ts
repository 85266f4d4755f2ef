import { readFileSync } from 'node:fs';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buildSchema, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changed } from './change.ts';
import { linkPackages } from './linked-packages.ts';
import { ROOT } from './newcomer.ts';
import { FOLLOWED } from './pages.ts';
import { openSession, type Session } from './session.ts';
import { isShown } from './shown-output.ts';
import { stepsOf, type ChangeStep, type CommandStep, type FileStep, type Step } from './steps.ts';

/** What a step led to, and what the page promises of it. */
interface Outcome {
  readonly came: unknown;
  readonly promised: unknown;
}

/** Milliseconds for a step: `npm test` takes minutes. */
const TIMEOUT = 1_200_000;

const DONE: Outcome = { came: 'done', promised: 'done' };

/** Defines the tests of a page: its steps, taken in order by a newcomer with an empty store. */
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

/** What is wrong with a GraphQL document, by the schema that the repository has. */
async function faultsOf(document: string): Promise<string[]> {
  const schema = buildSchema(await readFile(join(ROOT, 'schema.graphql'), 'utf8'));
  return validate(schema, parse(document)).map(({ message }) => message);
}
