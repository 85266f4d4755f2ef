import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../process.ts';

export interface Terminal extends AsyncDisposable {
  /** Runs commands where those before have left it, with their variables; `output` is all that they write. */
  readonly run: (commands: string) => Promise<{ code: number; output: string }>;
}

/** A shell into which commands are pasted, one block after the other. It keeps its files in `scratch`. */
export function openTerminal(root: string, env: NodeJS.ProcessEnv, scratch: string): Terminal {
  const shell = runProgram('sh', [], { root, env });
  let count = 0;
  return {
    run: async (commands) => {
      count += 1;
      const script = join(scratch, `${count}.sh`);
      const written = join(scratch, `${count}.txt`);
      await writeFile(script, `${commands}\n`);
      shell.type(`. '${script}' > '${written}' 2>&1 < /dev/null; echo "${count}: $?"\n`);
      const line = await shell.line('stdout', (text) => text.startsWith(`${count}: `));
      return { code: Number(line.split(' ')[1]), output: await readFile(written, 'utf8') };
    },
    [Symbol.asyncDispose]: () => shell[Symbol.asyncDispose](),
  };
}
