import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { keyIdOf } from '@gateway/fair-scheduling/client-of-key';
import { createFairQueue, type FairQueue } from '@gateway/fair-scheduling/fair-queue';
import { recorder } from '@gateway/telemetry/recorder';
import type { Client, ClientOf } from '../../../src/app/client-identity.ts';

/** What is known of a request when its turn comes. */
export interface Arrival {
  readonly client: Client;
  /** When its head had come, by performance.now(). */
  readonly arrivedAt: number;
  /** Milliseconds until its turn. */
  readonly waitedMs: number;
}

export type TurnListener = (
  request: IncomingMessage,
  response: ServerResponse,
  arrival: Arrival,
) => void;

/** The queue of the process's requests, measured. */
export function createRequestQueue(): FairQueue {
  const queue = createFairQueue({
    onWaited: (client, milliseconds) => {
      recorder.requestWaited(keyIdOf(client), milliseconds / 1000);
    },
  });
  recorder.observeQueue(() =>
    Array.from(queue.waiting(), ([client, count]) => [keyIdOf(client), count] as const),
  );
  return queue;
}

/**
 * Has requests wait for the turn of their client, whatever becomes of them: to refuse one costs time, too.
 *
 * @param choose who answers a request; decided when it arrives, before it waits
 */
export function takeTurns(
  queue: FairQueue,
  clientOf: ClientOf,
  choose: (client: Client, ...[request, response]: Parameters<RequestListener>) => TurnListener,
): RequestListener {
  return (request, response) => {
    const arrivedAt = performance.now();
    const client = clientOf(request);
    const listener = choose(client, request, response);
    queue.run(client.name, (waitedMs) => {
      listener(request, response, { client, arrivedAt, waitedMs });
    });
  };
}
