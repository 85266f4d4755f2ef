import type { Answer, Gateway } from './gateway.ts';

/** A part of a document so many times over. */
export function times(count: number, part: (index: number) => string, separator = ' '): string {
  return Array.from({ length: count }, (_, index) => part(index)).join(separator);
}

/** Answers as a client gets them that wants to be told of invalid documents by the status. */
export function answersTo({ request }: Pick<Gateway, 'request'>) {
  return (query: string, variables?: object): Promise<Answer> =>
    request('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/graphql-response+json' },
      body: JSON.stringify({ query, variables }),
    });
}

/** What matters of the answer to a document that is executed. */
export const PASSED = { status: 200, json: { data: {} } };
