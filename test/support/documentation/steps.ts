/** A fenced block of a page, and what the HTML comments right before it say to the tests. */
export interface FencedBlock {
  /** What is behind the fence, such as `sh`; empty if nothing is. */
  readonly language: string;
  readonly text: string;
  /** The line of its opening fence, from 1 on. */
  readonly line: number;
  /** `<!-- needs: root -->` is `needs` with the value `root`, `<!-- fails -->` is `fails` with an empty one. */
  readonly marks: ReadonlyMap<string, string>;
}

/** A fence, a comment of one line, an empty line, or anything else. */
const LINE = /^(?:```(?<language>\w*)|<!-- (?<name>[^:]+?)(?:: (?<value>.+?))? -->|(?<empty>\s*))$/;

/** The fenced blocks of a page of Markdown, in order. */
export function fencedBlocks(markdown: string): FencedBlock[] {
  const lines = markdown.split('\n');
  const blocks: FencedBlock[] = [];
  let marks = new Map<string, string>();
  for (let at = 0; at < lines.length; at += 1) {
    const { language, name, value = '', empty } = LINE.exec(lines[at] ?? '')?.groups ?? {};
    if (language !== undefined) {
      const end = lines.indexOf('```', at + 1);
      if (end === -1) {
        throw new Error(`the block in line ${at + 1} has no end`);
      }
      blocks.push({ language, text: lines.slice(at + 1, end).join('\n'), line: at + 1, marks });
      at = end;
      marks = new Map();
    } else if (name !== undefined) {
      marks.set(name, value);
    } else if (empty === undefined) {
      // Text: the comments before it were not about a block.
      marks = new Map();
    }
  }
  return blocks;
}

/**
 * Whether a page shows what has come. In what is shown, `…` within a line stands for any text, and alone on a line for
 * any lines. JSON may have other space between its tokens. What came may have more members in its JSON, null as they are
 * that a page is older than. All else is as it came, but for the last line break.
 */
export function isShown({ language, text }: FencedBlock, output: string): boolean {
  const normal = language === 'json' ? withoutSpace : (json: string) => json;
  const pattern = normal(text)
    .split('\n')
    .map((line) =>
      line === '…'
        ? '(?:.*\n)*?'
        : `${line
            .split('…')
            .map((part) => RegExp.escape(part))
            .join('.*')}\n`,
    )
    .join('');
  return new RegExp(`^${pattern}$`).test(`${withoutNulls(normal(output), text).trimEnd()}\n`);
}

/** Without the members of JSON that are null and not in a text. */
function withoutNulls(json: string, text: string): string {
  return json.replaceAll(/,("\w+"):null(?=[,}])/g, (member, name) =>
    text.includes(String(name)) ? member : '',
  );
}

/** JSON without the space between its tokens. Numbers keep their digits. */
function withoutSpace(json: string): string {
  return json.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
}

/**
 * A text with a change that is made by hand, as a `diff` block shows it: one place, or several with a line of `@@` between
 * them, each with enough of the lines around it to be found.
 *
 * @throws Error if a place is not there, or there twice
 */
export function changed(text: string, diff: string): string {
  let result = `\n${text}`;
  for (const place of diff.split(/\n@@\n/)) {
    const old = without('+', place);
    const [head = '', tail, ...others] = result.split(old);
    if (tail === undefined || others.length > 0) {
      throw new Error(`not once in the file:${old}`);
    }
    result = `${head}${without('-', place)}${tail}`;
  }
  return result.slice(1);
}

/** How many lines whoever makes a change by hand writes or deletes. */
export function linesByHand(diff: string): number {
  return diff.split('\n').filter((line) => /^[+-]/.test(line)).length;
}

/** The lines of a place but those of a sign, from the line break before them to the one behind. */
function without(sign: '+' | '-', place: string): string {
  const lines = place.split('\n').filter((line) => !line.startsWith(sign));
  return `\n${lines.map((line) => line.slice(1)).join('\n')}\n`;
}

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

export type CommandStep = ReturnType<typeof commandStep>;
export type FileStep = ReturnType<typeof fileStep>;
export type ChangeStep = ReturnType<typeof changeStep>;
export type Step = CommandStep | FileStep | ChangeStep | ReturnType<typeof documentStep>;

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
      steps.push(documentStep(block));
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

/** Commands to be pasted into a terminal. */
function commandStep(block: FencedBlock, shown: FencedBlock | undefined) {
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
    kind: 'command' as const,
    line,
    text,
    /** What the page says that they write, if it does. */
    shown,
    /** What is missing here, so that they can't be run. */
    needs: part === undefined ? needs : undefined,
    fails: marks.has('fails'),
    keepsRunning: marks.has('keeps running'),
  };
}

/** A file to be written, or more of it. */
function fileStep(block: FencedBlock) {
  check(block, ['file', 'part of']);
  const { line, text, marks } = block;
  const [path = '', more] = (marks.get('file') ?? '').split(', ');
  return {
    kind: 'file' as const,
    line,
    path,
    text: `${text}\n`,
    continued: more === 'continued',
    /** The file of this repository that it is a part of. */
    partOf: marks.get('part of'),
  };
}

/** A change to a file of the project, as a diff of the lines around it. */
function changeStep(block: FencedBlock) {
  check(block, ['change']);
  const { line, text: diff, marks } = block;
  const path = marks.get('change');
  if (path === undefined) {
    throw new Error(`line ${line}: a change of which file?`);
  }
  return { kind: 'change' as const, line, path, diff };
}

/** A GraphQL document, to be valid. */
function documentStep(block: FencedBlock) {
  check(block, []);
  return { kind: 'document' as const, line: block.line, text: block.text };
}

/** Expects that a block has no marks but those that mean something there. */
function check({ line, marks }: FencedBlock, allowed: readonly string[]): void {
  for (const [name, value] of marks) {
    if (!allowed.includes(name) || (name === 'needs' && !NEEDS.has(value.split(' ', 1).join()))) {
      throw new Error(`line ${line}: nobody knows what ${name}: ${value} means`);
    }
  }
}
