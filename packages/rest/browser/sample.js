/* The requests in code samples. The server renders the initial samples. The page's script updates them while a form is edited. */

/**
 * A request without its `Authorization`. The body is JSON text, so that no language rounds its numbers. The pieces of the body
 * alternate with the names of variables. `hasResult` is whether a successful response has a body.
 *
 * @typedef {{
 *   readonly method: string,
 *   readonly url: string,
 *   readonly headers: readonly (readonly [name: string, value: string])[],
 *   readonly body?: readonly string[] | undefined,
 *   readonly hasResult: boolean,
 * }} SampleRequest
 */

/**
 * A request that must be sent first, and the variable for the resulting id, which holds the id as JSON text.
 *
 * @typedef {{ readonly variable: string, readonly request: SampleRequest }} Preparation
 */

/**
 * @typedef {{
 *   readonly server: string,
 *   readonly preparations: readonly Preparation[],
 *   readonly request: SampleRequest,
 * }} Example
 */

/**
 * Returns an expression that concatenates a body's quoted pieces with the variables between them.
 *
 * @param {readonly string[]} body
 * @param {(piece: string) => string} quote
 * @param {string} operator
 */
export function concatenated(body, quote, operator) {
  return body.map((piece, index) => (index % 2 === 0 ? quote(piece) : piece)).join(operator);
}
