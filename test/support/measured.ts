import { expect } from 'vitest';
import { seriesIn, valuesOf, type Series } from './prometheus-text.ts';

/** A service that is measured, in a process of its own or in this one. */
export interface Measured {
  /** A valid API key, of the id 1. */
  readonly key: string;
  readonly metricsUrl: string;
  /** Sends a request with the key, and waits until it is counted. */
  readonly send: (path: string, init?: RequestInit) => Promise<number>;
  /** All of its metrics; expects none to hold a key that it was asked with. */
  readonly scrape: () => Promise<Series[]>;
  /** The values of a metric, by those of its labels. */
  readonly toldOf: (name: string) => Promise<Record<string, number>>;
  /** By how much each series of these metrics has moved meanwhile, where it has: `name{label=value}`. */
  readonly moved: (
    names: RegExp,
    during: () => Promise<unknown>,
  ) => Promise<Record<string, number>>;
}

interface Subject {
  readonly url: string;
  readonly key: string;
  readonly metricsUrl: string;
  /** The first line of its log that fits, whether it is written already or still to come. */
  readonly line: (predicate: (line: string) => boolean) => Promise<string>;
}

export function measured({ url, key, metricsUrl, line }: Subject): Measured {
  const secrets = new Set([key]);
  let requests = 0;
  let counted: Promise<unknown> = Promise.resolve();

  async function send(path: string, init: RequestInit = {}): Promise<number> {
    requests += 1;
    const id = `measured-${requests}:`;
    const headers = new Headers(init.headers);
    headers.set('Authorization', headers.get('Authorization') ?? `Bearer ${key}`);
    headers.set('X-Request-Id', id);
    secrets.add(headers.get('Authorization')?.split(' ')[1] ?? key);
    const { status, ...answer } = await ask(url + path, { ...init, headers });
    expect(answer.id).toBe(id);
    // It is logged right after it is counted. One after the other, however many are sent at once.
    counted = counted.then(() => line(isLineOf(id)));
    await counted;
    return status;
  }

  async function scrape(): Promise<Series[]> {
    const text = await (await fetch(metricsUrl)).text();
    expect([...secrets].filter((secret) => secret !== '' && text.includes(secret))).toEqual([]);
    return seriesIn(text);
  }

  return {
    key,
    metricsUrl,
    send,
    scrape,
    toldOf: async (name) => {
      const series = (await scrape()).filter((one) => one.name === name);
      return Object.fromEntries(
        series.map(({ labels, value }) => [Object.values(labels).join(' '), value] as const),
      );
    },
    moved: async (names, during) => {
      const before = valuesOf(await scrape());
      await during();
      const after = valuesOf(await scrape());
      return Object.fromEntries(
        Array.from(
          after,
          ([series, value]) => [series, value - (before.get(series) ?? 0)] as const,
        ).filter(([series, value]) => names.test(series) && value !== 0),
      );
    },
  };
}

function isLineOf(id: string): (line: string) => boolean {
  return (line) => line.includes(`"requestId":"${id}"`) && line.includes('"durationMs"');
}

async function ask(url: string, init: RequestInit) {
  const answer = await fetch(url, init);
  await answer.arrayBuffer();
  return { status: answer.status, id: answer.headers.get('X-Request-Id') };
}
