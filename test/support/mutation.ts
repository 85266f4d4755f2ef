/** To be imported before an entry (`node --import`): breaks one module of it, as the environment says. */
import { registerHooks, type ModuleSource } from 'node:module';

/** A text that stands once in the source of a module, and what shall stand there instead. */
export interface Mutation {
  /** The end of the module's URL: packages/exact-json/src/json.ts. */
  readonly file: string;
  readonly text: string;
  readonly replacement: string;
}

/** The environment of a process that runs what is broken so. Its working directory is the root folder. */
export function environmentOf({ file, text, replacement }: Mutation): NodeJS.ProcessEnv {
  return {
    NODE_OPTIONS: '--import ./test/support/mutation.ts',
    MUTATED_FILE: file,
    MUTATED_TEXT: text,
    MUTATED_REPLACEMENT: replacement,
  };
}

const {
  MUTATED_FILE: file,
  MUTATED_TEXT: text = '',
  MUTATED_REPLACEMENT: replacement,
} = process.env;

if (file !== undefined) {
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context);
      if (url.endsWith('/src/program.ts')) {
        // Only from the sources is there a module to break.
        return { ...loaded, source: mutated(loaded.source, 'isBundled() ?', 'false ?') };
      }
      return url.endsWith(`/${file}`)
        ? { ...loaded, source: mutated(loaded.source, text, replacement) }
        : loaded;
    },
  });
}

function mutated(source: ModuleSource | undefined, from: string, to: string | undefined): string {
  const parts = (typeof source === 'string' ? source : decode(source)).split(from);
  if (parts.length !== 2) {
    throw new Error(`${file} has the text to be mutated ${parts.length - 1} times, not once`);
  }
  return parts.join(to);
}

function decode(source: NodeJS.ArrayBufferView | ArrayBuffer | undefined): string {
  return new TextDecoder().decode(source);
}
