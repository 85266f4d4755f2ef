import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The command lines of all processes of this machine that name a text. */
export async function processesNaming(text: string): Promise<string[]> {
  const all = process.platform === 'linux' ? await linuxCommandLines() : await commandLines();
  return all.filter((line) => line.includes(text));
}

/** Read from the kernel: small systems have no ps. A process that ended meanwhile has none. */
async function linuxCommandLines(): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
}

async function commandLines(): Promise<string[]> {
  return (await promisify(execFile)('ps', ['-axww', '-o', 'command='])).stdout.split('\n');
}

/** The ids of the processes that a process has made, and that are still there. */
export async function childrenOf(parent: number): Promise<number[]> {
  const lines = process.platform === 'linux' ? await linuxParents() : await parents();
  return lines.flatMap((line) => {
    const [id, parentId] = line.trim().split(/\s+/).map(Number);
    return id !== undefined && parentId === parent ? [id] : [];
  });
}

/** Lines of an id and the parent's. */
async function linuxParents(): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(
    ids.map(async (id) => {
      const stat = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '');
      // The name, in parentheses, may have anything in it.
      const [, parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return `${id} ${parent}`;
    }),
  );
}

async function parents(): Promise<string[]> {
  return (await promisify(execFile)('ps', ['-axo', 'pid=,ppid='])).stdout.split('\n');
}

/** The processes of a run of the tests: those with its folder in their environment, and PostgreSQL, which has none of it. */
export async function processesOf(
  folder: string,
): Promise<{ readonly id: number; readonly commandLine: string }[]> {
  const lines = process.platform === 'linux' ? await linuxEnvironments() : await environments();
  return lines
    .filter(
      ({ commandLine, environment }) =>
        environment.includes(folder) ||
        (/postgres|initdb/.test(commandLine) && commandLine.includes(folder)),
    )
    .map(({ id, commandLine }) => ({ id, commandLine }));
}

async function linuxEnvironments() {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(
    ids.map(async (id) => ({
      id: Number(id),
      commandLine: (await readOf(id, 'cmdline')).replaceAll('\0', ' '),
      environment: await readOf(id, 'environ'),
    })),
  );
}

/** Nothing if the process has ended, or hides it from other users. */
function readOf(id: string, file: string): Promise<string> {
  return readFile(`/proc/${id}/${file}`, 'utf8').catch(() => '');
}

/** On macOS, `-E` adds the environment to the command line. */
async function environments() {
  const { stdout } = await promisify(execFile)('ps', ['-axwwE', '-o', 'pid=,command=']);
  return stdout.split('\n').map((line) => ({
    id: Number.parseInt(line, 10),
    commandLine: line,
    environment: line,
  }));
}
