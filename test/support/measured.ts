import { expect } from 'vitest';
import { firstKey, startService, type Service } from './service.ts';

/** A line in Prometheus's text format. */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Subject {
  readonly url: string;
  /** A valid API key with the id 1. */
  readonly key: string;
  readonly metricsUrl: string;
  /** Resolves to the first matching log line, whether it is already written or still to come. */
  readonly line: (predicate: (line: string) => boolean) => Promise<string>;
}

type Measured = ReturnType<typeof measured>;

/** Adds functions that read metrics to a service, which runs in its own process or in this one. */
export function measured({ url, key, metricsUrl, line }: Subject) {
  const secrets = new Set([key]);
  let requests = 0;
  let counted: Promise<unknown> = Promise.resolve();

  /** Sends a request with the key, and waits until it is counted. */
  async function send(path: string, init: RequestInit = {}): Promise<number> {
    requests += 1;
    const id = `measured-${requests}:`;
    const headers = new Headers(init.headers);
    headers.set('Authorization', headers.get('Authorization') ?? `Bearer ${key}`);
    headers.set('X-Request-Id', id);
    secrets.add(headers.get('Authorization')?.split(' ')[1] ?? key);
    const answer = await fetch(url + path, { ...init, headers });
    await answer.arrayBuffer();
    expect(answer.headers.get('X-Request-Id')).toBe(id);
    // A request is logged right after it is counted. Concurrent requests wait one after the other.
    counted = counted.then(() =>
      line((text) => text.includes(`"requestId":"${id}"`) && text.includes('"durationMs"')),
    );
    await counted;
    return answer.status;
  }

  /** Returns all metrics; expects them not to contain any key that was sent. */
  async function scrape(): Promise<Series[]> {
    const text = await (await fetch(metricsUrl)).text();
    expect([...secrets].filter((secret) => secret !== '' && text.includes(secret))).toEqual([]);
    return seriesIn(text);
  }

  /** Returns a metric's values, by the values of its labels. */
  async function toldOf(name: string): Promise<Record<string, number>> {
    const series = (await scrape()).filter((one) => one.name === name);
    return Object.fromEntries(
      series.map(({ labels, value }) => [Object.values(labels).join(' '), value] as const),
    );
  }

  /** Returns the increase of each series in these metrics during a call, if it changed: `name{label=value}`. */
  async function moved(
    names: RegExp,
    during: () => Promise<unknown>,
  ): Promise<Record<string, number>> {
    const before = valuesOf(await scrape());
    await during();
    const moves = Array.from(
      valuesOf(await scrape()),
      ([series, value]) => [series, value - (before.get(series) ?? 0)] as const,
    );
    return Object.fromEntries(moves.filter(([series, by]) => names.test(series) && by !== 0));
  }

  return { key, metricsUrl, send, scrape, toldOf, moved };
}

/** Starts the service in its own process, with metrics. */
export async function startMeasuredService(
  env: NodeJS.ProcessEnv,
  start = startService,
): Promise<Service & Measured> {
  const service = await start({ METRICS_PORT: '0', ...env });
  const { child, url } = service;
  const line: Subject['line'] = (predicate) => child.line('stdout', predicate);
  const [metricsUrl, key] = [await metricsUrlOf(service), await firstKey(service)];
  return { ...service, ...measured({ url, key, metricsUrl, line }) };
}

async function metricsUrlOf({ child }: Pick<Service, 'child'>): Promise<string> {
  const line = await child.line('stdout', (text) => text.includes('"msg":"serving metrics"'));
  return /"url":"([^"]+)"/.exec(line)?.[1] ?? '';
}

/** Returns the sum of a metric's series with these labels, for a service with METRICS_PORT. */
export async function metricOf(
  service: Pick<Service, 'child'>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  return seriesIn(await (await fetch(await metricsUrlOf(service))).text())
    .filter((each) => each.name === name)
    .filter((each) => Object.entries(labels).every(([label, is]) => each.labels[label] === is))
    .reduce((total, { value }) => total + value, 0);
}

/** Returns how many of a gateway's reads replicas have answered; it needs METRICS_PORT. */
export function answeredByReplicas(service: Pick<Service, 'child'>): Promise<number> {
  return metricOf(service, 'animal_store_replica_reads_total', { answered_by: 'replica' });
}

/** Parses a scrape; expects it to be in Prometheus's format. */
function seriesIn(text: string): Series[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] =
        /^([a-z]\w*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      expect([line, name === '', Number.isNaN(Number(value))]).toEqual([line, false, false]);
      const pairs = labels.matchAll(/(\w+)="([^"]*)"(?:,|$)/g);
      return {
        name,
        labels: Object.fromEntries(Array.from(pairs, ([, label = '', is = '']) => [label, is])),
        value: Number(value),
      };
    });
}

/** Returns series values, each under `name{label=value}`. */
function valuesOf(series: readonly Series[]): Map<string, number> {
  return new Map(
    series.map(({ name, labels, value }) => {
      const pairs = Object.entries(labels).map((label) => label.join('='));
      return [`${name}{${pairs.join(' ')}}`, value];
    }),
  );
}
