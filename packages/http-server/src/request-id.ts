import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { hideKeys } from '@gateway/log/redact-keys';

/** What an id from outside may look like: safe in a header, a log line and a search. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** The client's own X-Request-Id if it is well-formed and has no key in it, or a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) && hideKeys(given) === given
    ? given
    : randomUUID();
}
