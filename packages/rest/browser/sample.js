/*
 * What a code sample sends. The server writes the first samples, and the page's script those of a form as it is typed.
 */

/**
 * A request, but for its `Authorization`. The body is JSON text, so that no language rounds its numbers, with the name of a
 * variable between each two pieces. `hasResult` is whether a success has a body.
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
 * What is added first, and the variable for its id as it is in JSON.
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
 * A body as an expression that puts its pieces, quoted, and the variables between them together.
 *
 * @param {readonly string[]} body
 * @param {(piece: string) => string} quote
 * @param {string} operator
 */
export function concatenated(body, quote, operator) {
  return body.map((piece, index) => (index % 2 === 0 ? quote(piece) : piece)).join(operator);
}
