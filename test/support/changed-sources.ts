import { registerHooks, type ModuleSource } from 'node:module';

/** A text that occurs exactly once in a module's source, and its replacement. */
export interface Mutation {
  /** The end of the module's URL, such as packages/ops/src/json.ts. */
  readonly file: string;
  readonly text: string;
  readonly replacement: string;
}

/** Makes the service run from its sources, because a bundle has no modules to change. */
const FROM_SOURCES: Mutation = {
  file: 'src/program.ts',
  text: 'isServing(args) && isBundled(root) ?',
  replacement: 'false ?',
};

let runsSources = false;

/** Changes modules that are loaded from now on, and makes the service run from its sources. */
function changeSources(changes: readonly Mutation[]): void {
  const all = runsSources ? changes : [...changes, FROM_SOURCES];
  runsSources = true;
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context);
      const change = all.find(({ file }) => url.endsWith(`/${file}`));
      return change === undefined
        ? loaded
        : { ...loaded, source: changed(textOf(loaded.source), change) };
    },
  });
}

/**
 * Changes constants in modules and in the bundle. Starting from the bundle takes half the CPU time of starting from the
 * sources.
 */
export function changeConstants(changes: readonly Mutation[]): void {
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context);
      const isChunk = url.includes('/gateway-bundle/');
      if (!isChunk && !changes.some(({ file }) => url.endsWith(`/${file}`))) return loaded;
      const source = textOf(loaded.source);
      if (isChunk) return { ...loaded, source: changes.reduce(changedChunk, source) };
      const ofModule = changes.filter(({ file }) => url.endsWith(`/${file}`));
      return { ...loaded, source: ofModule.reduce(changedConstant, source) };
    },
  });
}

/** Changes a constant in a bundle chunk that contains its module. A comment marks where each module starts. */
export function changedChunk(source: string, change: Mutation): string {
  const heading = `// ${change.file}\n`;
  const start = source.indexOf(heading);
  if (start === -1) return source;
  const body = start + heading.length;
  const length = source.slice(body).search(/^\/\/ \S+\.[cm]?[jt]s$/m);
  const end = length === -1 ? source.length : body + length;
  return (
    source.slice(0, start) + changedConstant(source.slice(start, end), change) + source.slice(end)
  );
}

/** Bundlers change white space, and write 3000 as 3e3. */
function changedConstant(source: string, { file, text, replacement }: Mutation): string {
  const pattern = RegExp.escape(text)
    .replaceAll(/(?:\\x20|\\ | )+/g, '\\s+')
    .replace(/\d000$/, (digits) => `(?:${digits}|${digits.charAt(0)}e3)`);
  const [only, ...others] = source.match(new RegExp(pattern, 'g')) ?? [];
  if (only === undefined || others.length > 0) {
    throw new Error(`${file} doesn't have the constant to be changed once: ${text}`);
  }
  return source.replace(only, replacement);
}

function changed(source: string, { file, text, replacement }: Mutation): string {
  const parts = source.split(text);
  if (parts.length !== 2) {
    throw new Error(`${file} has the text to be changed ${parts.length - 1} times, not once`);
  }
  return parts.join(replacement);
}

function textOf(source: ModuleSource | undefined): string {
  return typeof source === 'string' ? source : new TextDecoder().decode(source);
}

/** Returns the environment for a process that runs with the mutation. Its working directory is the root folder. */
export function environmentOf({ file, text, replacement }: Mutation): NodeJS.ProcessEnv {
  return {
    NODE_OPTIONS: '--import ./test/support/changed-sources.ts',
    MUTATED_FILE: file,
    MUTATED_TEXT: text,
    MUTATED_REPLACEMENT: replacement,
  };
}

// When imported before an entry point (`node --import`), this applies the mutation that the environment describes.
const { MUTATED_FILE: mutated, MUTATED_TEXT = '', MUTATED_REPLACEMENT = '' } = process.env;
if (mutated !== undefined) {
  changeSources([{ file: mutated, text: MUTATED_TEXT, replacement: MUTATED_REPLACEMENT }]);
}
