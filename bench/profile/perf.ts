import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { type Frame, layerOf } from './layers.ts';

/** Options that make V8 report the location of its code to perf. */
export const NODE_OPTIONS = '--perf-basic-prof --interpreted-frames-native-stack';

/** Milliseconds until perf starts to sample. */
const STARTING = 500;

/** Samples where a process spends its CPU time during an action. */
export async function record<T>(
  processId: number,
  file: string,
  action: () => Promise<T>,
): Promise<T> {
  const args = ['record', '-F', '1999', '-e', 'cpu-clock', '-g', '-o', file, '-p'];
  const perf = spawn('perf', args.concat(String(processId)), { stdio: 'ignore' });
  await once(perf, 'spawn');
  const ended = once(perf, 'exit');
  await setTimeout(STARTING);
  try {
    return await action();
  } finally {
    perf.kill('SIGINT');
    await ended;
  }
}

/** Adds the number of a recording's samples in each layer to `counts`. */
export async function countByLayer(file: string, counts: Map<string, number>): Promise<void> {
  const args = ['script', '-i', file, '-F', 'comm,ip,sym,dso'];
  const perf = spawn('perf', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  let stack: Frame[] = [];
  for await (const line of createInterface({ input: perf.stdout })) {
    const [, symbol, object] = /^\s+[\da-f]+ (.*) \(([^()]*)\)$/.exec(line) ?? [];
    if (symbol !== undefined) {
      stack.push({ symbol, isKernel: object?.startsWith('[kernel') === true });
    } else if (line === '' && stack.length > 0) {
      const layer = layerOf(stack);
      counts.set(layer, (counts.get(layer) ?? 0) + 1);
      stack = [];
    }
  }
}
