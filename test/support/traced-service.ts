import { randomBytes } from 'node:crypto';
import { expect, inject } from 'vitest';
import { isJsonObject } from '@store-gateway/ops';
import { onFileFinished } from './clean-up.ts';
import { SERVER, startCollector, type Span } from './collector.ts';
import { createDatabase, TEMPLATE } from './database.ts';
import { firstKey, startPatientService } from './service.ts';

export interface Sent {
  readonly method?: string;
  readonly body?: object;
  readonly headers?: Record<string, string>;
}

/** A trace of its own, as a client names it in `traceparent`. */
export function newTrace(isSampled = true) {
  const traceId = randomBytes(16).toString('hex');
  return { traceId, traceparent: `00-${traceId}-00f067aa0ba902b7-${isSampled ? '01' : '00'}` };
}

/** A service that is traced, until the tests of the file are over. */
export async function startTracedService() {
  const collector = await startCollector();
  onFileFinished(() => collector[Symbol.asyncDispose]());
  const databaseUrl = await createDatabase(inject('postgresUrl'), { template: TEMPLATE });
  const service = await startPatientService({
    DATABASE_URL: databaseUrl,
    ...collector.env,
    // Then an operation is compiled right after its second use.
    NODE_OPTIONS: '--import graphql-jit',
  });
  const key = await firstKey(service);
  let requests = 0;

  async function send(path: string, { method = 'GET', body, headers = {} }: Sent) {
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
    return { status: answer.status, requestId };
  }

  /** The lines of a request in the log, which are written some time after it. */
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

  async function spansOf(traceId: string) {
    const spans = await collector.trace(traceId);
    const server = serverIn(spans);
    // A key is looked up every few seconds.
    return { traceId, server, spans: spans.filter(({ name }) => name !== 'find-key-by-hash') };
  }

  return {
    child: service.child,
    collector,
    databaseUrl,
    key,
    url: service.url,
    linesOf,
    /** The spans of a trace, but for the lookup of its key, once they are exported. */
    spansOf: async (traceId: string) => (await spansOf(traceId)).spans,
    /** Sends a request as part of a trace of its own, and tells that. */
    traceOf: async (path: string, sent: Sent = {}) => {
      const { traceId, traceparent } = newTrace();
      const told = await send(path, { ...sent, headers: { traceparent, ...sent.headers } });
      return { ...told, ...(await spansOf(traceId)) };
    },
    /** Sends a request, and tells the trace that the log says it is part of. */
    loggedTraceOf: async (path: string, sent: Sent = {}) => {
      const { status, requestId } = await send(path, sent);
      const lines = await linesOf(requestId);
      return { status, lines, ...(await spansOf(String(lines.at(-1)?.['traceId']))) };
    },
  };
}

function serverIn(spans: readonly Span[]): Span {
  const server = spans.find(({ kind }) => kind === SERVER);
  return server ?? expect.fail('no span of a request');
}
