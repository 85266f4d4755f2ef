import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { parseInPieces } from './parse-in-chunks.ts';

/** Connections that may hold unparsed requests at a time: 128 kB each at most, since that is what Node reads ahead. */
const MAX_HOLDING_CONNECTIONS = 1000;

/** Parsed requests that may wait in all, before every connection is parsed in pieces, whether it pipelines or not. */
const MAX_WAITING = 1000;

/** Milliseconds for which new connections are then parsed so from their first request on. */
const FLOOD_MS = 60_000;

/** Requests of a connection that may be in work at a time, if all of them are safe. */
const MAX_IN_WORK = 8;

/** RFC 9110, 9.2.1: only these may be processed beside others of their connection (RFC 9112, 9.3.2). */
const SAFE_METHODS = new Set(['GET', 'HEAD']);

/** What has arrived on a connection and is not answered yet, in the order of its arrival. */
interface Pipeline {
  readonly socket: Socket;
  /** Responses in work, until they have been handed to the kernel. */
  readonly inWork: ServerResponse[];
  /** Those to requests that were parsed together with them. */
  readonly waiting: ServerResponse[];
}

function isSafe({ req: { method = '' } }: ServerResponse): boolean {
  return SAFE_METHODS.has(method);
}

/** Whether one more safe request may be in work: not behind one that isn't, nor while the client leaves much unread. */
function hasRoom({ socket, inWork }: Pipeline): boolean {
  const unread = inWork.reduce((bytes, { writableLength }) => bytes + writableLength, 0);
  return (
    inWork.length < MAX_IN_WORK && inWork.every(isSafe) && unread < socket.writableHighWaterMark
  );
}

/** Ends a response whose connection is gone. Node 24.0 does that for the first response of a connection only. */
function giveUp(response: ServerResponse): void {
  if (response.socket === null && !response.destroyed && !response.writableFinished) {
    response.destroyed = true;
    response.emit('close');
  }
}

/** A client that went on using its connection would keep the server from ever ending. */
function makeLast(response: ServerResponse): void {
  if (!response.headersSent) {
    response.setHeader('Connection', 'close');
  }
}

export interface AnswersInTurn {
  readonly answer: RequestListener;
  /**
   * From now on, no connection has more in work than it has, and the newest answer to that is its last.
   *
   * @param underWay responses that are not finished
   */
  readonly end: (underWay: Iterable<ServerResponse>) => void;
}

/**
 * Passes on few requests of a connection at a time, however many it pipelines. The others wait, mostly unparsed, and
 * reading pauses: no more is executed for a client that does not read the answers, and nothing that isn't safe.
 *
 * @param server that is to pass its requests to `answer`
 */
export function answerInTurn(server: Server, listener: RequestListener): AnswersInTurn {
  const pipelines = new WeakMap<Socket, Pipeline>();
  /** Connections with unparsed requests; the one that has made no progress for longest comes first. */
  const holding = new Set<Socket>();
  /** Connections that have not pipelined yet: Node parses what arrives on them without going through JavaScript. */
  const unpipelined = new Set<Pipeline>();
  let waitingInAll = 0;
  let floodedUntil = -Infinity;
  let ending = false;

  const pass = (pipeline: Pipeline, response: ServerResponse): void => {
    pipeline.inWork.push(response);
    if (ending) {
      makeLast(response);
    }
    response.on('close', () => {
      pipeline.inWork.shift();
      if (pipeline.waiting.length > 0 || holding.has(pipeline.socket)) {
        passMore(pipeline);
      }
    });
    // A fault in its body may have been answered before.
    if (!response.writableEnded) {
      listener(response.req, response);
    }
  };
  const mayPass = (pipeline: Pipeline, response: ServerResponse): boolean =>
    pipeline.inWork.length === 0 || (!ending && isSafe(response) && hasRoom(pipeline));
  const passMore = (pipeline: Pipeline): void => {
    const { socket, waiting } = pipeline;
    for (;;) {
      const [next] = waiting;
      if (next === undefined) {
        socket.resume();
        return;
      }
      if (!socket.writable || !mayPass(pipeline, next)) {
        return;
      }
      waiting.shift();
      waitingInAll -= 1;
      pass(pipeline, next);
    }
  };

  const goInPieces = (pipeline: Pipeline): void => {
    const { socket } = pipeline;
    unpipelined.delete(pipeline);
    parseInPieces(socket, {
      // What follows an incomplete request is its body.
      isFull: () =>
        pipeline.inWork.at(-1)?.req.complete === true &&
        (pipeline.waiting.length > 0 || !hasRoom(pipeline)),
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
    const pipeline: Pipeline = { socket, inWork: [], waiting: [] };
    pipelines.set(socket, pipeline);
    if (performance.now() < floodedUntil) {
      goInPieces(pipeline);
    } else {
      unpipelined.add(pipeline);
    }
    socket.on('close', () => {
      holding.delete(socket);
      unpipelined.delete(pipeline);
      const waiting = pipeline.waiting.splice(0);
      waitingInAll -= waiting.length;
      [...pipeline.inWork, ...waiting].forEach(giveUp);
    });
  });
  return {
    answer: (request, response) => {
      const pipeline = pipelines.get(request.socket);
      if (pipeline === undefined) {
        throw new Error('the request came on no connection of the server');
      }
      if (pipeline.waiting.length === 0 && mayPass(pipeline, response)) {
        pass(pipeline, response);
      } else {
        wait(pipeline, response);
      }
    },
    end: (underWay) => {
      ending = true;
      for (const response of underWay) {
        if (pipelines.get(response.req.socket)?.inWork.at(-1) === response) {
          makeLast(response);
        }
      }
    },
  };
}
