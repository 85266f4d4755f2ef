import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createPeerAddress } from './http/client-address.ts';
import { recorder } from '@gateway/telemetry/recorder';
import { listenFailure } from '@gateway/errors/startup-failure';
import { closeServer } from './graceful-shutdown.ts';
import {
  boundConnections,
  CONNECTION_TIMES,
  connectionOptions,
  type ConnectionTimes,
} from './connection-bounds.ts';
import { lingerAfterLastAnswers } from './lingering-close.ts';
import { answerMalformedRequests } from './parse-errors.ts';
import { cutOverdueAnswers } from './slow-responses.ts';
import { answerInTurn } from './pipelining.ts';

export interface Listening {
  /** Where to reach it, for example http://127.0.0.1:4000 */
  readonly url: string;
  /**
   * Takes no new connection, answers what is under way and what is on its way, and ends: after 5 s at the
   * latest.
   *
   * @param notice milliseconds for which new connections are still taken, by default none
   */
  readonly close: (notice?: number) => Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly maximumConnections: number;
  /** None, by default. */
  readonly trustedProxies?: readonly string[];
  /** Those of production, by default. */
  readonly times?: ConnectionTimes;
}

/** @throws StartupFailure naming HOST and PORT if that address can't be had */
export async function listen(
  app: RequestListener,
  { host, port, maximumConnections, trustedProxies = [], times = CONNECTION_TIMES }: ListenOptions,
): Promise<Listening> {
  const server = createServer(connectionOptions(times));
  const underWay = new Set<ServerResponse>();
  const { requestBegins, requestEnds } = boundConnections(server, {
    maximum: maximumConnections,
    clientOf: createPeerAddress(trustedProxies),
  });
  lingerAfterLastAnswers(server);
  answerMalformedRequests(server, underWay);
  cutOverdueAnswers(server, underWay, times.answer);
  const inTurn = answerInTurn(server, app);
  const answer: RequestListener = (request, response) => {
    const { socket } = request;
    underWay.add(response);
    requestBegins(socket);
    response.on('close', () => {
      underWay.delete(response);
      requestEnds(socket);
    });
    inTurn.answer(request, response);
  };
  server.on('request', answer);
  // Left to itself, Node would ask for a body before anyone has looked at the key.
  server.on('checkContinue', answer);
  // It would refuse whoever expects anything else, without a body; we may pass over that (RFC 9110, 10.1.1).
  server.on('checkExpectation', answer);
  server.listen(port, host);
  try {
    // What goes wrong with it later is nobody's to catch: the process can't serve any more, and ends for it
    // (packages/http-server/src/shutdown-signal.ts).
    await once(server, 'listening');
  } catch (error) {
    throw listenFailure(error, { host, port });
  }
  recorder.observeConnections(server);
  return {
    url: urlOf(server),
    close: (notice = 0) => {
      inTurn.end(underWay);
      return closeServer(server, { notice, ...times });
    },
  };
}

function urlOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') {
    throw new Error('the server does not listen on a TCP port');
  }
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}
