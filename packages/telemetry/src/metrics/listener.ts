import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { log } from '@gateway/log/log';
import { listenFailure } from '@gateway/errors/startup-failure';

/** https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const PATH = '/metrics';
const METHODS = ['GET', 'HEAD'];

/** A few Prometheus servers and people: this is for nobody else. */
const MOST_CONNECTIONS = 32;
/** Milliseconds. */
const LONGEST_REQUEST = 5000;

export interface MetricsListener extends AsyncDisposable {
  /** Where the metrics are, for example http://127.0.0.1:9464/metrics */
  readonly url: string;
}

/**
 * Tells whoever asks at /metrics what `write` writes.
 *
 * @throws StartupFailure naming METRICS_HOST and METRICS_PORT if that address can't be had
 */
export async function listenForScrapes(
  write: () => Promise<string>,
  host: string,
  port: number,
): Promise<MetricsListener> {
  const bounds = { headersTimeout: LONGEST_REQUEST, requestTimeout: LONGEST_REQUEST };
  const server = createServer(bounds, (request, response) => {
    void answer(request, response, write);
  });
  server.maxConnections = MOST_CONNECTIONS;
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
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

async function answer(
  { method = '', url = '' }: IncomingMessage,
  response: ServerResponse,
  write: () => Promise<string>,
): Promise<void> {
  response.setHeader('X-Content-Type-Options', 'nosniff');
  if (url.split('?', 1)[0] !== PATH) {
    send(response, 404, `The metrics are at ${PATH}\n`);
  } else if (!METHODS.includes(method)) {
    response.setHeader('Allow', METHODS.join(', '));
    send(response, 405, `The metrics are for ${METHODS.join(' and ')}\n`);
  } else {
    try {
      send(response, 200, await write());
    } catch (error) {
      log.error({ err: error }, 'the metrics cannot be told');
      send(response, 500, 'The metrics cannot be told; the log says why\n');
    }
  }
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'Content-Type': status === 200 ? CONTENT_TYPE : 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  // Node leaves the body out of an answer to HEAD.
  response.end(body);
}
