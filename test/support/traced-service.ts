import { afterAll, expect, inject } from 'vitest';
import { isJsonObject } from '../../src/json.ts';
import { SERVER, startCollector, type Span } from './collector.ts';
import { createDatabase, TEMPLATE } from './database.ts';
import { firstKey, startService } from './service.ts';

export interface Sent {
  readonly method?: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
}

/** A service that is traced, until the tests of the file are over. */
export async function startTracedService() {
  const collector = await startCollector();
  const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const service = await startService({
    DATABASE_URL: databaseUrl,
    ...collector.env,
    // Then an operation is compiled right after its second use.
    NODE_OPTIONS: '--import graphql-jit',
  });
  const key = await firstKey(service);
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await collector[Symbol.asyncDispose]();
  });
  let requests = 0;

  /** Sends a request, and tells the trace that the log says it is part of. */
  async function traceOf(path: string, { method = 'GET', body, headers = {} }: Sent = {}) {
    requests += 1;
    const requestId = `request-${requests}:`;
    const answer = await fetch(service.url + path, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        'X-Request-Id': requestId,
        ...(body && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    await answer.arrayBuffer();
    const lines = await linesOf(requestId);
    const traceId = String(lines.at(-1)?.['traceId']);
    const spans = await collector.trace(traceId);
    // A key is looked up every few seconds.
    const ofRequest = spans.filter(({ name }) => name !== 'find-key-by-hash');
    return { status: answer.status, lines, traceId, spans: ofRequest, server: serverIn(spans) };
  }

  async function linesOf(requestId: string): Promise<Record<string, unknown>[]> {
    const isOfRequest = (line: string) => line.includes(`"requestId":"${requestId}"`);
    await service.child.line(
      'stdout',
      (line) => isOfRequest(line) && line.includes('"durationMs"'),
    );
    return service.child
      .stdout()
      .split('\n')
      .filter(isOfRequest)
      .map((line): unknown => JSON.parse(line))
      .filter(isJsonObject);
  }

  return { collector, databaseUrl, key, url: service.url, linesOf, traceOf };
}

function serverIn(spans: readonly Span[]): Span {
  const server = spans.find(({ kind }) => kind === SERVER);
  return server ?? expect.fail('no span of a request');
}
