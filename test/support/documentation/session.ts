import { runProgram, type ChildEntry } from '../process.ts';
import { newcomer } from './newcomer.ts';
import { openTerminal, type Terminal } from './terminal.ts';

/** The address that the pages name. */
const ADDRESS = 'http://127.0.0.1:4000';

/** A newcomer with two terminals: one for the service, and one for all else. */
export interface Session extends AsyncDisposable {
  /** Runs the commands in a terminal of their own, in the place of those that ran there before, until they serve. */
  readonly serve: (commands: string) => Promise<void>;
  /** Runs commands to their end; they may name the address that the pages name, and so does their output. */
  readonly run: Terminal['run'];
  /** The folder in which the next commands run. */
  readonly folder: () => Promise<string>;
}

export async function openSession(): Promise<Session> {
  const { project, scratch, env, ...home } = await newcomer();
  const terminal = openTerminal(project, env, scratch);
  let service: ChildEntry | undefined;
  let address = ADDRESS;
  return {
    serve: async (commands) => {
      await service?.[Symbol.asyncDispose]();
      // In the shell's own place, with the variables that may stand before the program: a signal is for npm.
      const args = ['-c', `exec env PORT=0 ${commands}`];
      service = runProgram('sh', args, { root: project, env });
      const line = await service.line('stdout', (text) => text.includes('"msg":"listening"'));
      [address = ADDRESS] = /http:[^"]+/.exec(line) ?? [];
      // The examples know the address of the pages, and look here for another.
      await terminal.run(`export ANIMAL_STORE_URL=${address}`);
    },
    run: async (commands, fails) => {
      const { code, output } = await terminal.run(commands.replaceAll(ADDRESS, address), fails);
      // Lines of HTTP end in \r\n, which looks the same.
      return { code, output: output.replaceAll(address, ADDRESS).replaceAll('\r\n', '\n') };
    },
    folder: async () => (await terminal.run('pwd')).output.trimEnd(),
    [Symbol.asyncDispose]: async () => {
      await terminal[Symbol.asyncDispose]();
      await service?.[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}
