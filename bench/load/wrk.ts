import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { CommandFailure } from '@store-gateway/ops/command-line';
import { systemErrorCode } from '../../packages/local/src/embedded/account.ts';
import { parseWrkOutput, type WrkResult } from '../figures/wrk-output.ts';

export interface Load {
  /** Where the server listens. */
  readonly url: string;
  readonly key: string;
  /** Path of a file with requests, as replay.lua reads them. */
  readonly file: string;
  readonly connections: number;
  /** Whether each request gets its own idempotency key. */
  readonly isKeyed?: boolean;
  readonly signal: AbortSignal;
}

const SCRIPT = join(import.meta.dirname, 'replay.lua');

/** Milliseconds for a server to accept all connections, before the first request. */
const CONNECTING = 250;

/** Measures for a number of seconds. No figure includes the first quarter of a second, in which connections are opened. */
export async function measure(load: Load, seconds: number): Promise<WrkResult> {
  return parseWrkOutput(await runWrk(argumentsOf(load, seconds, CONNECTING), load.signal));
}

/**
 * Runs a load without measuring it, and checks every response.
 *
 * @param milliseconds how long; wrk checks after half a second, and then ten times a second, whether it should stop
 */
export async function warmUp(load: Load, milliseconds: number): Promise<WrkResult> {
  const args = argumentsOf(load, 60, 0, 'check');
  return parseWrkOutput(await runWrk(args, load.signal, milliseconds));
}

/** @throws CommandFailure if wrk is not installed */
export async function wrkVersion(signal: AbortSignal): Promise<string> {
  const version = /wrk (?:debian\/)?(\S+)/.exec(await runWrk(['-v'], signal))?.[1];
  return version ?? 'unknown';
}

function argumentsOf(
  { url, key, file, connections, isKeyed }: Load,
  seconds: number,
  connecting: number,
  check = '',
): string[] {
  const threads = connections === 1 ? 1 : 2;
  const how = ['-t', threads, '-c', connections, '-d', `${seconds}s`, '--latency', '-s', SCRIPT];
  const what = ['-H', `Authorization: Bearer ${key}`, url, '--', file, connecting, check];
  return [...how, ...what, ...(isKeyed ? [randomUUID()] : [])].map(String);
}

async function runWrk(
  args: readonly string[],
  signal: AbortSignal,
  stopAfter?: number,
): Promise<string> {
  const child = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'inherit'], signal });
  const failed = new Promise<never>((_resolve, reject) => child.on('error', reject));
  const over = new AbortController();
  if (stopAfter !== undefined) void stopRepeatedly(child, stopAfter, over.signal);
  try {
    return await Promise.race([text(child.stdout), failed]);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    throw new CommandFailure(1, 'this needs wrk: install the Debian package wrk');
  } finally {
    over.abort();
  }
}

/**
 * Sends the signal repeatedly, because wrk ignores it while it reads the requests, which may take some time on a busy machine.
 */
async function stopRepeatedly(
  child: ChildProcess,
  after: number,
  over: AbortSignal,
): Promise<void> {
  let wait = after;
  while (!over.aborted) {
    await setTimeout(wait, undefined, { signal: over }).catch(() => undefined);
    if (!over.aborted) child.kill('SIGINT');
    wait = 100;
  }
}
