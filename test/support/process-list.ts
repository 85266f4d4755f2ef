import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A process on this machine, as far as this user may see it. */
interface Process {
  readonly id: number;
  readonly parent: number;
  readonly commandLine: string;
  readonly environment: string;
}

/** Reads the processes from the kernel, because small systems have no ps. */
async function linuxProcesses(): Promise<Process[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(
    ids.map(async (id) => {
      // These are empty if the process has ended or is hidden from other users.
      const [stat = '', commandLine = '', environment = ''] = await Promise.all(
        ['stat', 'cmdline', 'environ'].map((file) =>
          readFile(`/proc/${id}/${file}`, 'utf8').catch(() => ''),
        ),
      );
      // The name, in parentheses, may contain any characters.
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

/** Returns the command lines of all processes on this machine that contain a text. */
export async function processesNaming(text: string): Promise<string[]> {
  const commandLines = (await processes()).map(({ commandLine }) => commandLine);
  return commandLines.filter((commandLine) => commandLine.includes(text));
}

/** Returns the ids of a process's children that still exist. */
export async function childrenOf(parent: number): Promise<number[]> {
  return (await processes()).filter((each) => each.parent === parent).map(({ id }) => id);
}

/** Returns a test run's processes: those with its folder in their environment, and PostgreSQL, whose environment lacks it. */
export async function processesOf(folder: string): Promise<Process[]> {
  return (await processes()).filter(
    ({ commandLine, environment }) =>
      environment.includes(folder) ||
      (/postgres|initdb/.test(commandLine) && commandLine.includes(folder)),
  );
}
