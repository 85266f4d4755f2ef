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
