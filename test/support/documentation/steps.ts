/** A fenced block on a page, and the instructions for tests in the HTML comments right before it. */
export interface FencedBlock {
  /** The language after the fence, such as `sh`; empty if there is none. */
  readonly language: string;
  readonly text: string;
  /** The line number of its opening fence, starting at 1. */
  readonly line: number;
  /** `<!-- needs: root -->` is `needs` with the value `root`, `<!-- fails -->` is `fails` with an empty value. */
  readonly marks: ReadonlyMap<string, string>;
}

/** A fence, a one-line comment, an empty line, or anything else. */
const LINE = /^(?:```(?<language>\w*)|<!-- (?<name>[^:]+?)(?:: (?<value>.+?))? -->|(?<empty>\s*))$/;

/** Returns the fenced blocks in a Markdown page, in order. */
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
      // Text separates the comments before it from a later block.
      marks = new Map();
    }
  }
  return blocks;
}

/**
 * Returns whether a page shows the output. On the page, `…` stands for any text within a line, and on its own line for
 * any lines. JSON may differ in white space, and the output may have additional members that are null, because the page
 * is older than they are. Everything else must match, except the last line break.
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

/** Removes JSON members that are null and do not occur in the text. */
function withoutNulls(json: string, text: string): string {
  return json.replaceAll(/,("\w+"):null(?=[,}])/g, (member, name) =>
    text.includes(String(name)) ? member : '',
  );
}

/** Removes white space between JSON tokens. Numbers keep their digits. */
function withoutSpace(json: string): string {
  return json.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
}

/**
 * Applies a change from a `diff` block to a text, as a reader would: one place, or several separated by a line with
 * `@@`, each with enough surrounding lines to be found.
 *
 * @throws Error if a place does not occur exactly once
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

/** Returns how many lines a reader writes or deletes to make the change. */
export function linesByHand(diff: string): number {
  return diff.split('\n').filter((line) => /^[+-]/.test(line)).length;
}

/** Returns a place's lines without those that have the sign, including the line breaks around them. */
function without(sign: '+' | '-', place: string): string {
  const lines = place.split('\n').filter((line) => !line.startsWith(sign));
  return `\n${lines.map((line) => line.slice(1)).join('\n')}\n`;
}

/** Requirements that a test machine may not meet: blocks that have them are not run. */
const NEEDS = new Set([
  'registry', // the npm registry
  'root', // root, and a machine that may be changed
  'systemd',
  'container', // podman or Docker
  'postgresql', // a PostgreSQL that the tests do not start
  'minutes', // minutes on an otherwise idle machine
  'wrk',
]);

export type CommandStep = ReturnType<typeof commandStep>;
export type FileStep = ReturnType<typeof fileStep>;
export type ChangeStep = ReturnType<typeof changeStep>;
export type Step = CommandStep | FileStep | ChangeStep | ReturnType<typeof documentStep>;

/** Returns the steps of a reader who follows a page from top to bottom. @throws Error for a block that fits no kind of step */
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
  // `registry for npm ci &&`: without that part, the commands can be run.
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
    /** The output on the page, if there is any. */
    shown,
    /** The unmet requirement because of which the commands are not run. */
    needs: part === undefined ? needs : undefined,
    fails: marks.has('fails'),
    keepsRunning: marks.has('keeps running'),
  };
}

/** A file to be written, or an addition to it. */
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
    /** The repository file that contains it. */
    partOf: marks.get('part of'),
  };
}

/** A change to a project file, as a diff with its surrounding lines. */
function changeStep(block: FencedBlock) {
  check(block, ['change']);
  const { line, text: diff, marks } = block;
  const path = marks.get('change');
  if (path === undefined) {
    throw new Error(`line ${line}: a change of which file?`);
  }
  return { kind: 'change' as const, line, path, diff };
}

/** A GraphQL document that must be valid. */
function documentStep(block: FencedBlock) {
  check(block, []);
  return { kind: 'document' as const, line: block.line, text: block.text };
}

/** Throws if a block has marks that mean nothing for its kind. */
function check({ line, marks }: FencedBlock, allowed: readonly string[]): void {
  for (const [name, value] of marks) {
    if (!allowed.includes(name) || (name === 'needs' && !NEEDS.has(value.split(' ', 1).join()))) {
      throw new Error(`line ${line}: nobody knows what ${name}: ${value} means`);
    }
  }
}
