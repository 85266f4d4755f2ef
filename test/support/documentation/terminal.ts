import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../process.ts';

export interface Terminal extends AsyncDisposable {
  /**
   * Runs commands where those before have left it, with their variables. If one fails, so that those behind it are not
   * run, and none was expected to, the terminal has come to its end.
   */
  readonly run: (commands: string, fails?: boolean) => Promise<Ran>;
}

export interface Ran {
  readonly code: number;
  /** All that was written. */
  readonly output: string;
}

/** A shell into which commands are pasted, one block after the other. It keeps its files in `scratch`. */
export function openTerminal(root: string, env: NodeJS.ProcessEnv, scratch: string): Terminal {
  const shell = runProgram('sh', [], { root, env });
  shell.type(`exec 3>&1; trap 'echo "$count: $?" >&3' EXIT\n`);
  let count = 0;
  return {
    run: async (commands, fails = false) => {
      count += 1;
      const script = join(scratch, `${count}.sh`);
      const written = join(scratch, `${count}.txt`);
      await writeFile(script, `${commands}\n`);
      const start = `. '${script}' > '${written}' 2>&1 < /dev/null`;
      const strictly = fails ? start : `set -e; ${start}; set +e`;
      shell.type(`count=${count}; ${strictly}; echo "$count: $?" >&3\n`);
      const line = await shell.line('stdout', (text) => text.startsWith(`${count}: `));
      return { code: Number(line.split(' ')[1]), output: await readFile(written, 'utf8') };
    },
    [Symbol.asyncDispose]: () => shell[Symbol.asyncDispose](),
  };
}
