/** The contract's Error as the text that goes over the wire. */
export function errorBody(status: number, code: string, message: string): string {
  return JSON.stringify({ code, message, status });
}

/** The same as GraphQL tells it of a request that was refused as a whole. */
export function graphqlErrorBody(status: number, code: string, message: string): string {
  return JSON.stringify({ errors: [{ message, extensions: { code, status } }] });
}
