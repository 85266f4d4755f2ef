import { sendTo, type Answer, type Gateway } from './gateway.ts';

export interface NamedRequest {
  /** The value of its Idempotency-Key header. */
  readonly key?: string;
  readonly body: string;
  readonly path?: string;
  readonly apiKey?: string;
}

/** Sends a POST, optionally with an idempotency key, by default to /v1/pets. */
export function sendNamed(
  gateway: Pick<Gateway, 'request' | 'key'>,
  { key, body, path = '/v1/pets', apiKey = gateway.key }: NamedRequest,
): Promise<Answer> {
  return sendTo(gateway)('POST', path, body, {
    Authorization: `Bearer ${apiKey}`,
    ...(key !== undefined && { 'Idempotency-Key': key }),
  });
}

/** Returns a GraphQL operation's path and body. */
export function operation(query: string, variables?: object): Pick<NamedRequest, 'path' | 'body'> {
  return { path: '/graphql', body: JSON.stringify({ query, variables }) };
}

export const idIn = ({ text }: Answer): string => /"id":"?(\d+)/.exec(text)?.[1] ?? text;
