import { sendTo, type Answer, type Gateway } from './gateway.ts';

export interface NamedRequest {
  /** What its Idempotency-Key says. */
  readonly key?: string;
  readonly body: string;
  readonly path?: string;
  readonly apiKey?: string;
}

/** Sends a POST that the caller has named, to /v1/pets unless it says otherwise. */
export function sendNamed(
  gateway: Pick<Gateway, 'request' | 'key'>,
  { key, body, path = '/v1/pets', apiKey = gateway.key }: NamedRequest,
): Promise<Answer> {
  return sendTo(gateway)('POST', path, body, {
    Authorization: `Bearer ${apiKey}`,
    ...(key !== undefined && { 'Idempotency-Key': key }),
  });
}

/** What a GraphQL operation is sent as. */
export function operation(query: string, variables?: object): Pick<NamedRequest, 'path' | 'body'> {
  return { path: '/graphql', body: JSON.stringify({ query, variables }) };
}

export const idIn = ({ text }: Answer): string => /"id":"?(\d+)/.exec(text)?.[1] ?? text;
