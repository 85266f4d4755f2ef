import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { StartupFailure } from '../startup-failure.ts';

export interface Listening {
  /** Where to reach it, for example http://127.0.0.1:4000 */
  readonly url: string;
  /** Takes no new connection, answers what is under way, and ends: after 5 s at the latest. */
  readonly close: () => Promise<void>;
}

/** Milliseconds that a client may take to send the rest of its request, and to read our answer. */
const CLOSING_PATIENCE = 5000;

/** @throws StartupFailure naming HOST and PORT if that address can't be had */
export async function listen(app: RequestListener, host: string, port: number): Promise<Listening> {
  const server = createServer();
  const underWay = new Set<ServerResponse>();
  const answer: RequestListener = (request, response) => {
    underWay.add(response);
    response.on('close', () => underWay.delete(response));
    if (!server.listening) {
      makeLast(response);
    }
    app(request, response);
  };
  server.on('request', answer);
  // Left to itself, Node would ask for a body before anyone has looked at the key.
  server.on('checkContinue', answer);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(new StartupFailure(reason(error, host, port), { cause: error }));
    });
    server.listen(port, host, resolve);
  });
  return { url: urlOf(server), close: () => close(server, underWay) };
}

function reason(error: NodeJS.ErrnoException, host: string, port: number): string {
  switch (error.code) {
    case 'EADDRINUSE':
      return `PORT: another process listens on ${host}:${port} already; set PORT to a free one`;
    case 'EACCES':
      return `PORT: this user may not listen on ${host}:${port}; set PORT to one above 1023`;
    default:
      return `HOST: cannot listen on ${host}:${port} (${error.code ?? error.message}); set HOST to an address of this machine`;
  }
}

function urlOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') {
    throw new Error('the server does not listen on a TCP port');
  }
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

async function close(server: Server, underWay: ReadonlySet<ServerResponse>): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
    underWay.forEach(makeLast);
    setTimeout(() => {
      server.closeAllConnections();
    }, CLOSING_PATIENCE).unref();
  });
}

/** A client that went on using its connection would keep the server from ever ending. */
function makeLast(response: ServerResponse): void {
  if (!response.headersSent) {
    response.setHeader('Connection', 'close');
  }
}
