import { fencedBlocks, type FencedBlock } from './fenced-blocks.ts';

/** What a block may need that a machine of the tests need not have: those that say so are not run. */
const NEEDS = new Set([
  'registry', // the npm registry
  'root', // root, and a machine that may be changed
  'systemd',
  'container', // podman or Docker
  'postgresql', // one that isn't ours
  'minutes', // to itself
  'wrk',
]);

/** Commands to be pasted into a terminal. */
export interface CommandStep {
  readonly kind: 'command';
  readonly line: number;
  readonly text: string;
  /** What the page says that they write, if it does. */
  readonly shown: FencedBlock | undefined;
  /** What is missing here, so that they can't be run. */
  readonly needs: string | undefined;
  /** Whether they are meant to fail. */
  readonly fails: boolean;
  /** Whether they run until they are stopped. */
  readonly keepsRunning: boolean;
}

/** A file to be written, or more of it. */
export interface FileStep {
  readonly kind: 'file';
  readonly line: number;
  readonly path: string;
  readonly text: string;
  readonly continued: boolean;
  /** The file of this repository that it is a part of. */
  readonly partOf: string | undefined;
}

/** A change to a file of the project, as a diff of the lines around it. */
export interface ChangeStep {
  readonly kind: 'change';
  readonly line: number;
  readonly path: string;
  readonly diff: string;
}

/** A GraphQL document, to be valid. */
export interface DocumentStep {
  readonly kind: 'document';
  readonly line: number;
  readonly text: string;
}

export type Step = CommandStep | FileStep | ChangeStep | DocumentStep;

/**
 * What somebody does who follows a page from its top to its end.
 *
 * @throws Error for a block of which nobody can say what to do with it
 */
export function stepsOf(markdown: string): Step[] {
  const steps: Step[] = [];
  const blocks = fencedBlocks(markdown);
  for (const [index, block] of blocks.entries()) {
    const { language, line } = block;
    const before = blocks[index - 1];
    if (block.marks.has('file')) {
      steps.push(fileStep(block));
    } else if (language === 'diff') {
      steps.push(changeStep(block));
    } else if (language === 'sh') {
      const next = blocks[index + 1];
      steps.push(commandStep(block, next !== undefined && isOutput(next) ? next : undefined));
    } else if (language === 'graphql') {
      check(block, []);
      steps.push({ kind: 'document', line, text: block.text });
    } else if (block.marks.has('needs')) {
      check(block, ['needs']);
    } else if (language === 'text' || (isOutput(block) && before?.language === 'sh')) {
      check(block, []);
    } else {
      throw new Error(`line ${line}: neither commands, nor their output, nor a file`);
    }
  }
  return steps;
}

function isOutput({ language, marks }: FencedBlock): boolean {
  return ['', 'json'].includes(language) && !marks.has('file');
}

function commandStep(block: FencedBlock, shown: FencedBlock | undefined): CommandStep {
  check(block, ['needs', 'fails', 'keeps running']);
  const { line, marks } = block;
  // `registry for npm ci &&`: without that part they can be run.
  const { needs, part } =
    /^(?<needs>\w+)(?: for (?<part>.+))?$/.exec(marks.get('needs') ?? '')?.groups ?? {};
  const text = part === undefined ? block.text : block.text.replace(part, '').trim();
  if (part !== undefined && text === block.text) {
    throw new Error(`line ${line}: there is no ${part}`);
  }
  if (text.includes('…')) {
    throw new Error(`line ${line}: a command that can't be pasted`);
  }
  return {
    kind: 'command',
    line,
    text,
    shown,
    needs: part === undefined ? needs : undefined,
    fails: marks.has('fails'),
    keepsRunning: marks.has('keeps running'),
  };
}

function fileStep(block: FencedBlock): FileStep {
  check(block, ['file', 'part of']);
  const { line, text, marks } = block;
  const [path = '', more] = (marks.get('file') ?? '').split(', ');
  return {
    kind: 'file',
    line,
    path,
    text: `${text}\n`,
    continued: more === 'continued',
    partOf: marks.get('part of'),
  };
}

function changeStep(block: FencedBlock): ChangeStep {
  check(block, ['change']);
  const { line, text, marks } = block;
  const path = marks.get('change');
  if (path === undefined) {
    throw new Error(`line ${line}: a change of which file?`);
  }
  return { kind: 'change', line, path, diff: text };
}

/** Expects that a block has no marks but those that mean something there. */
function check({ line, marks }: FencedBlock, allowed: readonly string[]): void {
  for (const [name, value] of marks) {
    if (!allowed.includes(name) || (name === 'needs' && !NEEDS.has(value.split(' ', 1).join()))) {
      throw new Error(`line ${line}: nobody knows what ${name}: ${value} means`);
    }
  }
}
