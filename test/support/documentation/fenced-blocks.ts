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
