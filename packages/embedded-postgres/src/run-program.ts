import { execFile, type ExecFileException } from 'node:child_process';
import type { Account } from './account.ts';

/**
 * What PostgreSQL's programs run with. The caller's own environment is kept from them: its PG* and
 * LC_* variables would change what they do, and they must not hold on to the caller's folder.
 */
export const programSurroundings = {
  env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
  cwd: '/',
} as const;

export interface ProgramResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Undefined when it ended with exit code 0. */
  readonly error: ExecFileException | undefined;
}

/** Runs a program to its end, as the given user. Never rejects. */
export function runProgram(
  program: string,
  parameters: readonly string[],
  account: Account | undefined,
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    execFile(program, parameters, { ...programSurroundings, ...account }, (error, stdout, stderr) =>
      resolve({ error: error ?? undefined, stdout, stderr }),
    );
  });
}

/** The line of a program's output or log that says what went wrong, without its time and process. */
export function decisiveLine(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const line =
    lines.findLast((each) => /\b(?:PANIC|FATAL|ERROR|error)\b/.test(each)) ?? lines.at(-1);
  return line?.replace(/^.*?\b(?=(?:PANIC|FATAL|ERROR): )/, '').replaceAll(/\s+/g, ' ');
}
