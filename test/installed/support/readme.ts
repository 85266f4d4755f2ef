import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fencedBlocks, type FencedBlock } from '../../support/documentation/fenced-blocks.ts';
import { ROOT } from '../../support/documentation/newcomer.ts';

/** What a package's README makes a stranger do. */
export interface Readme {
  /** The command that installs what the program needs. */
  readonly install: string;
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

/** Headings that each README has, in this order; others may be between them. */
const HEADINGS = ['Install', 'Usage', 'Guarantees', 'Limits', 'Why not '];

/** @throws Error that says what the README lacks */
export async function readReadme(packageName: string): Promise<Readme> {
  const markdown = await readFile(join(ROOT, 'packages', packageName, 'README.md'), 'utf8');
  if (!markdown.startsWith(`# @store-gateway/${packageName}\n\n`)) {
    throw new Error(`it begins with another heading than @store-gateway/${packageName}`);
  }
  const sections = sectionsOf(markdown);
  const [install] = blocksOf(sections, 'Install', 'sh');
  const [program, ...others] = fencedBlocks(sections.get('Usage') ?? '').filter(
    (block) => block.language === 'ts' && !block.marks.has('file'),
  );
  const outputs = blocksOf(sections, 'Usage', 'text');
  const [output] = outputs;
  const commands = blocksOf(sections, 'Usage', 'sh').map(({ text }) => text);
  if (install === undefined || output === undefined || (program ?? commands[0]) === undefined) {
    throw new Error('it lacks the command to install, the program, or what that prints');
  }
  if (others.length > 0 || outputs.length > 1) {
    throw new Error('its Usage has more than one program, or output');
  }
  const lines = program?.text.split('\n').length ?? SHORTEST;
  if (lines < SHORTEST || lines > LONGEST) {
    throw new Error(`its program has ${lines} lines, not ${SHORTEST} to ${LONGEST}`);
  }
  return {
    install: install.text,
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

/** The texts below the headings of second level, whose order is checked. */
function sectionsOf(markdown: string): ReadonlyMap<string, string> {
  const sections = markdown.split(/^## /m).slice(1);
  const headings = sections.map((section) => section.slice(0, section.indexOf('\n')));
  const found = HEADINGS.map((wanted) =>
    headings.findIndex((heading) => heading.startsWith(wanted)),
  );
  if (found.some((index, at) => index === -1 || index < (found[at - 1] ?? 0))) {
    throw new Error(`it has the headings ${headings.join(', ')}, not ${HEADINGS.join(', ')}…`);
  }
  return new Map(sections.map((section, at) => [headings[at] ?? '', section]));
}
