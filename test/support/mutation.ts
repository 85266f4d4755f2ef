/** To be imported before an entry (`node --import`): breaks one module of it, as the environment says. */
import { changeSources, type Mutation } from './changed-sources.ts';

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
  MUTATED_REPLACEMENT: replacement = '',
} = process.env;

if (file !== undefined) {
  changeSources([{ file, text, replacement }]);
}
