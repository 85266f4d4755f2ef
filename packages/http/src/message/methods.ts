/** The methods that a route may have; HEAD comes with GET. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What an address takes that has routes of these methods: Express serves HEAD wherever it serves GET. */
export function withHead(methods: readonly Method[]): string[] {
  return [...new Set(methods)].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}
