import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A process of this machine, as far as this user may see. */
interface Process {
  readonly id: number;
  readonly parent: number;
  readonly commandLine: string;
  readonly environment: string;
}

/** Reads them from the kernel: small systems have no ps. */
async function linuxProcesses(): Promise<Process[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(
    ids.map(async (id) => {
      // Nothing if the process has ended, or hides it from other users.
      const [stat = '', commandLine = '', environment = ''] = await Promise.all(
        ['stat', 'cmdline', 'environ'].map((file) =>
          readFile(`/proc/${id}/${file}`, 'utf8').catch(() => ''),
        ),
      );
      // The name, in parentheses, may have anything in it.
      const [, parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return {
        id: Number(id),
        parent: Number(parent),
        commandLine: commandLine.replaceAll('\0', ' '),
        environment,
      };
    }),
  );
}

async function listed(flags: string): Promise<RegExpMatchArray[]> {
  const { stdout } = await promisify(execFile)('ps', [flags, '-o', 'pid=,ppid=,command=']);
  return Array.from(stdout.matchAll(/^ *(\d+) +(\d+) (.*)$/gm));
}

/** On macOS, `-E` adds the environment to the command line. */
async function macProcesses(): Promise<Process[]> {
  const environments = new Map(
    (await listed('-axwwE')).map(([, id, , command = '']) => [id, command] as const),
  );
  return (await listed('-axww')).map(([, id, parent, commandLine = '']) => ({
    id: Number(id),
    parent: Number(parent),
    commandLine,
    environment: environments.get(id) ?? '',
  }));
}

const processes = process.platform === 'linux' ? linuxProcesses : macProcesses;

/** The command lines of all processes of this machine that name a text. */
export async function processesNaming(text: string): Promise<string[]> {
  const commandLines = (await processes()).map(({ commandLine }) => commandLine);
  return commandLines.filter((commandLine) => commandLine.includes(text));
}

/** The ids of the processes that a process has made, and that are still there. */
export async function childrenOf(parent: number): Promise<number[]> {
  return (await processes()).filter((each) => each.parent === parent).map(({ id }) => id);
}

/** The processes of a run of the tests: those with its folder in their environment, and PostgreSQL, which has none of it. */
export async function processesOf(folder: string): Promise<Process[]> {
  return (await processes()).filter(
    ({ commandLine, environment }) =>
      environment.includes(folder) ||
      (/postgres|initdb/.test(commandLine) && commandLine.includes(folder)),
  );
}
