import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { log, listenFailure } from '@store-gateway/ops';

/** https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const PATH = '/metrics';
const METHODS = ['GET', 'HEAD'];

/** Enough for a few Prometheus servers and people. */
const MAX_CONNECTIONS = 32;
const REQUEST_TIMEOUT_MS = 5000;

/** A server for scrapes, until it is disposed of. */
export interface MetricsListener extends AsyncDisposable {
  /** For example http://127.0.0.1:9464/metrics */
  readonly url: string;
}

/**
 * Serves what `scrape` resolves to at /metrics.
 *
 * @throws StartupFailure naming METRICS_HOST and METRICS_PORT if that address can't be had
 */
export async function listenForScrapes(
  scrape: () => Promise<string>,
  host: string,
  port: number,
): Promise<MetricsListener> {
  const timeouts = { headersTimeout: REQUEST_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS };
  const server = createServer(timeouts, (request, response) => {
    void respond(request, response, scrape);
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw listenFailure(error, { host, port }, 'METRICS_');
  }
  const address = server.address();
  const bound = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound ?? port}${PATH}`,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function respond(
  { method = '', url = '' }: IncomingMessage,
  response: ServerResponse,
  scrape: () => Promise<string>,
): Promise<void> {
  response.setHeader('X-Content-Type-Options', 'nosniff');
  const send = (status: number, body: string, type = 'text/plain; charset=utf-8'): void => {
    const headers = { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) };
    // Node leaves out the body of a response to HEAD.
    response.writeHead(status, headers).end(body);
  };
  if (url.split('?', 1)[0] !== PATH) {
    send(404, `The metrics are at ${PATH}\n`);
  } else if (!METHODS.includes(method)) {
    response.setHeader('Allow', METHODS.join(', '));
    send(405, `The metrics only support ${METHODS.join(' and ')}\n`);
  } else {
    try {
      send(200, await scrape(), CONTENT_TYPE);
    } catch (error) {
      log.error({ err: error }, 'the metrics cannot be collected');
      send(500, 'The metrics cannot be collected; see the log for the reason\n');
    }
  }
}
