import type { ServerResponse, IncomingMessage } from 'node:http';
import accepts from 'accepts';
import type { RequestHandler } from 'express';
import type { GraphQLError } from 'graphql';
import { codedError } from '@store-gateway/ops/errors';

/** Tells caches that a response depends on a header of the request. */
export function varyBy(response: ServerResponse, name: string): void {
  const set = response.getHeader('Vary');
  if (set === undefined) {
    response.setHeader('Vary', name);
  } else if (!String(set).split(', ').includes(name)) {
    response.setHeader('Vary', `${String(set)}, ${name}`);
  }
}

/**
 * The media type, of those offered, that a client likes best; the first one if it doesn't mind.
 *
 * @throws NOT_ACCEPTABLE if it takes none of them
 */
export function acceptedType(request: IncomingMessage, offered: readonly string[]): string {
  const accepted = preferredType(request, offered);
  if (accepted === undefined) {
    throw notAcceptable(offered);
  }
  return accepted;
}

/** The same, or undefined if it takes none of them. */
export function preferredType(
  request: IncomingMessage,
  offered: readonly string[],
): string | undefined {
  const { accept = '*/*' } = request.headers;
  // Sent by most clients that aren't browsers.
  if (accept === '*/*') {
    return offered[0];
  }
  const preferred = accepts(request).types([...offered]);
  return typeof preferred === 'string' ? preferred : undefined;
}

/** Whether a client prefers a page to the media types of `data`, as browsers do. */
export function prefersPage(request: IncomingMessage, data: readonly string[]): boolean {
  return accepts(request).types([...data, 'text/html']) === 'text/html';
}

/** Passes requests of clients that prefer a page to the route's next handler, and all others to the next route. */
export function forBrowsers(data: readonly string[]): RequestHandler {
  return (request, response, next) => {
    varyBy(response, 'Accept');
    next(prefersPage(request, data) ? undefined : 'route');
  };
}

/** The error NOT_ACCEPTABLE, which names the media types that there are. */
export function notAcceptable(offered: readonly string[]): GraphQLError {
  return codedError('NOT_ACCEPTABLE', `This address serves ${offered.join(' or ')}`);
}

/** The preference of clients that would rather fail than have something of a request ignored (RFC 7240, 4.4). */
export const STRICT = 'handling=strict';

/**
 * Whether a request would rather fail than have something of it ignored: `Prefer: handling=strict` (RFC 7240, 4.4). Of several
 * values the first counts (RFC 7240, 2). Parameters, behind a semicolon, mean nothing to it.
 */
export function prefersStrict({ headers }: IncomingMessage): boolean {
  const header = headers['prefer']?.toString();
  if (header === undefined) {
    return false;
  }
  // Node joins repeated ones with commas. No regular expression: of a long header one could take minutes.
  const [, value = ''] =
    header
      .split(',')
      .map((preference) => (preference.split(';')[0] ?? '').split('='))
      .find(([name = '']) => name.trim().toLowerCase() === 'handling') ?? [];
  return ['strict', '"strict"'].includes(value.trim().toLowerCase());
}

/** Tells a client that its preference was heeded (RFC 7240, 3). */
export function announceStrict(response: ServerResponse): void {
  response.setHeader('Preference-Applied', STRICT);
}

/** A content coding that is offered. */
export type Encoding = 'br' | 'gzip' | 'identity';

/** The smallest result first. */
const ENCODINGS = ['br', 'gzip', 'identity'] as const satisfies readonly Encoding[];

/** Below the smallest weight, 0.001: no coding is acceptable unless it is excluded, and preferred only if asked for. */
const UNLISTED_IDENTITY = 0.0001;

const MEMBER = /^([^\s;]+)(?:\s*;\s*q=([\d.]+))?$/i;

/**
 * The coding that an Accept-Encoding header prefers (RFC 9110, 12.5.3), and of equal ones that with the smallest result:
 * Express would take the one named first, which in browsers is gzip.
 */
export function preferredEncoding(accepted = ''): Encoding {
  const weights = new Map(
    accepted.split(',').map((member) => {
      const [, coding = '', weight = '1'] = MEMBER.exec(member.trim()) ?? [];
      return [coding.toLowerCase(), Number(weight)];
    }),
  );
  const weightOf = (encoding: Encoding) =>
    weights.get(encoding) ?? weights.get('*') ?? (encoding === 'identity' ? UNLISTED_IDENTITY : 0);
  const [preferred = 'identity'] = ENCODINGS.filter((encoding) => weightOf(encoding) > 0).toSorted(
    (one, other) => weightOf(other) - weightOf(one),
  );
  return preferred;
}
