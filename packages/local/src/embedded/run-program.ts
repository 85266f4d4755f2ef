import { execFile, type ExecFileException } from 'node:child_process';

/** The user that PostgreSQL runs as when this process is root; spread it into spawn's options. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** PG* and LC_* variables would change what PostgreSQL's programs do, and the caller's folder would stay in use. */
export const processOptions = {
  env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
  cwd: '/',
} as const;

/** What a program has written, and how it ended. */
interface ProgramResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Undefined if it ended with exit code 0. */
  readonly error: ExecFileException | undefined;
}

/** Runs a program to its end, as the given user. Never rejects. */
export function runProgram(
  program: string,
  parameters: readonly string[],
  account: Account | undefined,
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    execFile(program, parameters, { ...processOptions, ...account }, (error, stdout, stderr) => {
      resolve({ error: error ?? undefined, stdout, stderr });
    });
  });
}

/** The line of a program's output or log that says what went wrong, without its time and process. */
export function decisiveLine(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const line =
    lines.findLast((each) => /\b(?:PANIC|FATAL|ERROR|error)\b/.test(each)) ?? lines.at(-1);
  return line?.replace(/^.*?\b(?=(?:PANIC|FATAL|ERROR): )/, '').replaceAll(/\s+/g, ' ');
}
