import { registerHooks, type ModuleSource } from 'node:module';

/** A text that stands once in the source of a module, and what shall stand there instead. */
export interface Mutation {
  /** The end of the module's URL: packages/exact-json/src/json.ts. */
  readonly file: string;
  readonly text: string;
  readonly replacement: string;
}

/** A bundle has no modules to change. */
const FROM_SOURCES: Mutation = {
  file: 'src/program.ts',
  text: 'isServing(args) && isBundled(root) ?',
  replacement: 'false ?',
};

let runsSources = false;

/** Changes modules that are loaded from now on, and has the service run from its sources. */
export function changeSources(changes: readonly Mutation[]): void {
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
