import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fencedBlocks, type FencedBlock } from '../../support/documentation/fenced-blocks.ts';
import { ROOT } from '../../support/documentation/newcomer.ts';

/** What a package's README makes a stranger do. */
export interface Readme {
  /** The command that installs what the programs need. */
  readonly install: string;
  /** Of each of its topics, or of the README itself if it has only one. */
  readonly usages: readonly Usage[];
}

/** A program and what it prints. */
export interface Usage {
  /** The heading of its topic; empty if there is only one. */
  readonly topic: string;
  /** Files that the program needs, by their names: blocks marked by `<!-- file: NAME -->`. */
  readonly files: ReadonlyMap<string, string>;
  /** Commands between installing and running, such as a generator's. */
  readonly commands: readonly string[];
  /** Undefined of a package that is a command itself, which is the last of the commands. */
  readonly program: string | undefined;
  /** What the program, or that command, prints; `…` stands for any text. */
  readonly output: FencedBlock;
}

/** Lines of a program that shows something, and that somebody still reads. */
const SHORTEST = 10;
const LONGEST = 30;

/** Headings that each topic has, in this order; others may be between them. */
const HEADINGS = ['Usage', 'Guarantees', 'Limits', 'Why not '];

/** @throws Error that says what the README lacks */
export async function readReadme(packageName: string): Promise<Readme> {
  const markdown = await readFile(join(ROOT, 'packages', packageName, 'README.md'), 'utf8');
  if (!markdown.startsWith(`# @store-gateway/${packageName}\n\n`)) {
    throw new Error(`it begins with another heading than @store-gateway/${packageName}`);
  }
  const sections = sectionsOf(markdown, '## ');
  const [install] = blocksOf(sections, 'Install', 'sh');
  if (install === undefined) {
    throw new Error('it lacks the command to install');
  }
  const topics = sections.has('Usage')
    ? [usageOf('', sections)]
    : Array.from(sections)
        .filter(([heading]) => heading !== 'Install')
        .map(([heading, text]) => usageOf(heading, sectionsOf(text, '### ')));
  return { install: install.text, usages: topics };
}

function usageOf(topic: string, sections: ReadonlyMap<string, string>): Usage {
  expectOrder(Array.from(sections.keys()));
  const [program, ...others] = fencedBlocks(sections.get('Usage') ?? '').filter(
    (block) => block.language === 'ts' && !block.marks.has('file'),
  );
  const outputs = blocksOf(sections, 'Usage', 'text');
  const [output] = outputs;
  const commands = blocksOf(sections, 'Usage', 'sh').map(({ text }) => text);
  if (output === undefined || (program ?? commands[0]) === undefined) {
    throw new Error(`${topic} lacks the program, or what that prints`);
  }
  if (others.length > 0 || outputs.length > 1) {
    throw new Error(`${topic} has more than one program, or output`);
  }
  const lines = program?.text.split('\n').length ?? SHORTEST;
  if (lines < SHORTEST || lines > LONGEST) {
    throw new Error(`its program has ${lines} lines, not ${SHORTEST} to ${LONGEST}`);
  }
  return {
    topic,
    files: new Map(
      fencedBlocks(sections.get('Usage') ?? '').flatMap(({ marks, text }) => {
        const file = marks.get('file');
        return file === undefined ? [] : [[file, `${text}\n`]];
      }),
    ),
    commands,
    program: program && `${program.text}\n`,
    output,
  };
}

function blocksOf(sections: ReadonlyMap<string, string>, heading: string, language: string) {
  return fencedBlocks(sections.get(heading) ?? '').filter((block) => block.language === language);
}

/** The texts below the headings that begin with a mark of their level. */
function sectionsOf(markdown: string, mark: string): ReadonlyMap<string, string> {
  const sections = markdown.split(new RegExp(`^${mark}`, 'm')).slice(1);
  return new Map(
    sections.map((section) => [section.slice(0, section.indexOf('\n')), section] as const),
  );
}

function expectOrder(headings: readonly string[]): void {
  const found = HEADINGS.map((wanted) =>
    headings.findIndex((heading) => heading.startsWith(wanted)),
  );
  if (found.some((index, at) => index === -1 || index < (found[at - 1] ?? 0))) {
    throw new Error(`it has the headings ${headings.join(', ')}, not ${HEADINGS.join(', ')}…`);
  }
}
