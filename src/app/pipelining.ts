import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { parseInPieces } from './parse-in-pieces.ts';
import { createTurnQueue } from './turn-queue.ts';

/** Connections that may hold unparsed requests at a time: 128 kB each at most, since that is what Node reads ahead. */
const MAX_HOLDING_CONNECTIONS = 1000;

/** Parsed requests that may wait in all, before every connection is parsed in pieces, whether it pipelines or not. */
const MAX_WAITING = 1000;

/** Milliseconds for which new connections are then parsed so from their first request on. */
const FLOOD_MS = 60_000;

/** Requests that are passed on in one turn of the event loop, of all that waited for others of their connections. */
const MAX_PER_TURN = 16;

/** What has arrived on a connection and is not answered yet. */
interface Pipeline {
  readonly socket: Socket;
  /** The response in work. The next one's turn comes when this one has been handed to the kernel. */
  current: ServerResponse | undefined;
  /** Responses to requests that were parsed together with it, in the order of their arrival. */
  readonly waiting: ServerResponse[];
}

/**
 * Passes on the requests of a connection one by one, however many it pipelines (RFC 9112, 9.3.2). The others wait,
 * mostly unparsed, and reading pauses: nothing is executed for a client that does not read the answers.
 *
 * @param server that is to pass its requests to the listener returned
 */
export function answerInTurn(server: Server, listener: RequestListener): RequestListener {
  const pipelines = new WeakMap<Socket, Pipeline>();
  /** Connections with unparsed requests; the one that has made no progress for longest comes first. */
  const holding = new Set<Socket>();
  /** Connections that have not pipelined yet: Node parses what arrives on them without going through JavaScript. */
  const unpipelined = new Set<Pipeline>();
  let waitingInAll = 0;
  let floodedUntil = -Infinity;

  const pass = (pipeline: Pipeline, response: ServerResponse): void => {
    pipeline.current = response;
    response.on('close', () => {
      if (pipeline.waiting.length > 0 || holding.has(pipeline.socket)) {
        queue(pipeline);
      } else {
        pipeline.current = undefined;
      }
    });
    // A fault in its body may have been answered before.
    if (!response.writableEnded) {
      listener(response.req, response);
    }
  };
  const passNext = (pipeline: Pipeline): void => {
    const { socket, waiting } = pipeline;
    pipeline.current = undefined;
    const next = waiting.shift();
    if (next === undefined) {
      socket.resume();
      return;
    }
    waitingInAll -= 1;
    if (socket.writable) {
      pass(pipeline, next);
    }
  };
  const queue = createTurnQueue(passNext, MAX_PER_TURN);

  const goInPieces = (pipeline: Pipeline): void => {
    const { socket } = pipeline;
    unpipelined.delete(pipeline);
    parseInPieces(socket, {
      // What follows an incomplete request is its body.
      isFull: () => pipeline.current?.req.complete === true,
      onHeld: () => {
        holding.add(socket);
        if (holding.size > MAX_HOLDING_CONNECTIONS) {
          const [longest] = holding;
          longest?.destroy();
        }
      },
      onReleased: () => holding.delete(socket),
    });
  };
  const wait = (pipeline: Pipeline, response: ServerResponse): void => {
    pipeline.waiting.push(response);
    waitingInAll += 1;
    if (unpipelined.has(pipeline)) {
      goInPieces(pipeline);
    }
    if (waitingInAll > MAX_WAITING) {
      // Also those that have sent as much at the same time, and are to be read next.
      unpipelined.forEach(goInPieces);
      floodedUntil = performance.now() + FLOOD_MS;
    }
  };

  server.on('connection', (socket: Socket) => {
    const pipeline: Pipeline = { socket, current: undefined, waiting: [] };
    pipelines.set(socket, pipeline);
    if (performance.now() < floodedUntil) {
      goInPieces(pipeline);
    } else {
      unpipelined.add(pipeline);
    }
    socket.on('close', () => {
      holding.delete(socket);
      unpipelined.delete(pipeline);
      waitingInAll -= pipeline.waiting.splice(0).length;
    });
  });
  return (request, response) => {
    const pipeline = pipelines.get(request.socket);
    if (pipeline === undefined) {
      throw new Error('the request came on no connection of the server');
    }
    if (pipeline.current === undefined) {
      pass(pipeline, response);
    } else {
      wait(pipeline, response);
    }
  };
}
