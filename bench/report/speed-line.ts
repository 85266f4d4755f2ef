import { isSlower, type Speed } from '../figures/speed.ts';
import { count } from './format.ts';

/** A sentence about a machine's speed, which `speedIn` can read. */
export function speedLine({ requestsPerSecond, loopsPerSecond }: Speed): string {
  return `The machine's speed: ${count(requestsPerSecond)} requests/s with a constant body, ${loopsPerSecond.toFixed(1)} runs/s of an integer loop.`;
}

/** Reads the speed of the machine that a page's results are from; undefined if the page has none. */
export function speedIn(page: string): Speed | undefined {
  const line = /speed: ([\d,]+) requests\/s with a constant body, ([\d.]+) runs\/s/.exec(page);
  const [, requests, loops] = line ?? [];
  if (requests === undefined || loops === undefined) return undefined;
  return { requestsPerSecond: Number(requests.replaceAll(',', '')), loopsPerSecond: Number(loops) };
}

/** If this machine is slower than the one that a page's results come from, returns why they aren't replaced; otherwise undefined. */
export function whyKept(page: string, speed: Speed): string | undefined {
  const before = speedIn(page);
  if (before === undefined || !isSlower(speed, before)) return undefined;
  return `docs/results/benchmark.md is left unchanged, because this machine is slower than the one it was measured on.
${speedLine(speed)} Before: ${speedLine(before)}
To write it anyway, remove that sentence from the page.`;
}
