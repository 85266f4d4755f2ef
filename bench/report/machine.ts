import { execFile } from 'node:child_process';
import { cpus, release, totalmem } from 'node:os';
import { promisify } from 'node:util';
import { ROOT } from '../root.ts';

/** The machine and the software that figures were measured with. */
export interface Machine {
  /** In UTC: 2026-11-21. */
  readonly date: string;
  readonly commit: string;
  readonly cores: number;
  readonly processor: string;
  /** GiB. */
  readonly memory: number;
  readonly kernel: string;
  readonly node: string;
  readonly postgres: string;
  readonly wrk: string;
}

export async function readMachine(postgres: string, wrk: string): Promise<Machine> {
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: await commit(),
    cores: cpus().length,
    processor: cpus()[0]?.model ?? 'unknown',
    memory: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.versions.node,
    postgres,
    wrk,
  };
}

async function commit(): Promise<string> {
  try {
    const changed =
      (await git('status', '--porcelain', '--', 'src', 'packages', 'bench', 'prisma')) !== '';
    return `${await git('rev-parse', '--short', 'HEAD')}${changed ? ' with changes' : ''}`;
  } catch {
    return 'unknown';
  }
}

async function git(...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)('git', args, { cwd: ROOT })).stdout.trim();
}
