import type { RequestListener } from 'node:http';
import { nameOperation } from '../log.ts';
import { measurements } from '../metrics/measurements.ts';
import { cameBeyondBound } from './connection-bounds.ts';
import { refusalOf, type Refuse } from './refusal.ts';

const OVERLOADED = refusalOf('OVERLOADED', 'as many requests or connections as there may be');

export interface OpenRequestsBound {
  /** How many requests may be open at a time; each may have a body of 100 kB in memory. */
  readonly maximum: number;
  readonly refuse: Refuse;
}

/**
 * Refuses at once what comes while too many requests are open, or on a connection too many: so those that
 * are open get their answers in time. What was refused doesn't count.
 */
export function boundOpenRequests(
  listener: RequestListener,
  { maximum, refuse }: OpenRequestsBound,
): RequestListener {
  measurements?.announceMaximum('requests', maximum);
  let open = 0;
  const release = (): void => {
    open -= 1;
  };
  return (request, response) => {
    const isBeyond = cameBeyondBound(request.socket);
    if (isBeyond) {
      response.setHeader('Connection', 'close');
    }
    if (isBeyond || open >= maximum) {
      nameOperation('overloaded');
      refuse(request, response, OVERLOADED);
    } else {
      open += 1;
      response.on('close', release);
      listener(request, response);
    }
  };
}
