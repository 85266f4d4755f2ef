import { expect } from 'vitest';
import { firstKey, startService, type Service } from './service.ts';

/** A line of Prometheus's text format. */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MeasuredService extends Service {
  /** A valid API key, of the id 1. */
  readonly key: string;
  readonly metricsUrl: string;
  /** Sends a request with the key, and waits until it is counted. */
  readonly send: (path: string, init?: RequestInit) => Promise<number>;
  /** All of its metrics; expects none to hold a key that it was asked with. */
  readonly scrape: () => Promise<Series[]>;
  /** By how much each series of these metrics has moved meanwhile, where it has: `name{label="value"}`. */
  readonly moved: (
    names: RegExp,
    during: () => Promise<unknown>,
  ) => Promise<Record<string, number>>;
}

/** The service as a process of its own that is measured. */
export async function startMeasuredService(env: NodeJS.ProcessEnv): Promise<MeasuredService> {
  const service = await startService({ METRICS_PORT: '0', ...env });
  const line = await service.child.line('stdout', (text) => text.includes('"msg":"metrics"'));
  const [, metricsUrl = ''] = /"url":"([^"]+)"/.exec(line) ?? [];
  const key = await firstKey(service);
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
    const { status, ...answer } = await ask(service.url + path, { ...init, headers });
    expect(answer.id).toBe(id);
    // It is logged right after it is counted. One after the other, however many are sent at once.
    counted = counted.then(() => service.child.line('stdout', isLineOf(id)));
    await counted;
    return status;
  }

  async function scrape(): Promise<Series[]> {
    const text = await (await fetch(metricsUrl)).text();
    expect([...secrets].filter((secret) => secret !== '' && text.includes(secret))).toEqual([]);
    return seriesIn(text);
  }

  return {
    ...service,
    key,
    metricsUrl,
    send,
    scrape,
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
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
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

/** What a scrape tells; expects it to be written as Prometheus reads it. */
function seriesIn(text: string): Series[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] =
        /^([a-z]\w*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      expect([line, name === '', Number.isNaN(Number(value))]).toEqual([line, false, false]);
      return { name, labels: labelsIn(labels), value: Number(value) };
    });
}

function labelsIn(text: string): Record<string, string> {
  return Object.fromEntries(
    Array.from(text.matchAll(/(\w+)="([^"]*)"(?:,|$)/g), ([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
}

function valuesOf(series: readonly Series[]): Map<string, number> {
  return new Map(
    series.map(({ name, labels, value }) => [
      `${name}{${Object.entries(labels)
        .map((label) => label.join('='))
        .join(' ')}}`,
      value,
    ]),
  );
}
