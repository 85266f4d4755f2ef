/** The message for a body that is refused for one of its headers. */
export function wrongBody(header: 'Content-Type' | 'Content-Encoding', value = 'missing'): string {
  return `The body must be application/json in UTF-8, plain or compressed with gzip, deflate, br or zstd; its ${header} is ${value}`;
}
