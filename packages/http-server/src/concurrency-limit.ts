import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { keyIdOf } from '@gateway/fair-scheduling/client-of-key';
import { createOpenShares } from '@gateway/fair-scheduling/open-shares';
import { nameOperation, requestUnderWay } from '@gateway/log/log';
import { recorder } from '@gateway/telemetry/recorder';
import type { Client, ClientOf } from '../../../src/app/client-identity.ts';
import { cameBeyondBound } from './connection-bounds.ts';
import { refusalOf, type Refuse } from './rejection.ts';

const OVERLOADED = refusalOf(
  'OVERLOADED',
  'as many requests of this client, or connections, as there may be',
);

/** What all clients without a key may have open together: pages are for people, and few. */
const KEYLESS_SHARE = 1 / 10;

/** Counts a request as open until its answer has ended; false if it is one too many. */
export type AdmitRequest = (
  client: Client,
  request: IncomingMessage,
  response: ServerResponse,
) => boolean;

/**
 * Bounds the requests that are open at a time, those included that wait for their turn or for their bodies. Each client
 * has a share (packages/fair-scheduling/src/open-shares.ts), and what comes without a key has a part of its own beside. What is refused
 * isn't open.
 *
 * @param maximum each may have a body of 100 kB in memory
 */
export function boundOpenRequests(maximum: number): AdmitRequest {
  recorder.limitSet('requests', maximum);
  const all = createOpenShares(maximum);
  const keyed = [all];
  const keyless = [all, createOpenShares(Math.max(1, Math.floor(maximum * KEYLESS_SHARE)))];

  return ({ kind, name }, request, response) => {
    recorder.requestStarted();
    const shares = kind === 'address' ? keyless : keyed;
    if (cameBeyondBound(request.socket) || !shares.every(({ hasRoom }) => hasRoom(name))) {
      return false;
    }
    shares.forEach(({ opened }) => {
      opened(name);
    });
    response.on('close', () => {
      shares.forEach(({ closed }) => {
        closed(name);
      });
    });
    return true;
  };
}

/** Refuses what may not be open, without a look at more than whose it is. */
export function refuseOverload(refuse: Refuse, clientOf: ClientOf): RequestListener {
  return (request, response) => {
    const underWay = requestUnderWay.getStore();
    if (underWay !== undefined) {
      underWay.keyId = keyIdOf(clientOf(request).name);
    }
    if (cameBeyondBound(request.socket)) {
      response.setHeader('Connection', 'close');
    }
    nameOperation('overloaded');
    refuse(request, response, OVERLOADED);
  };
}
