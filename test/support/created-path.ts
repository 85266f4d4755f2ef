/** The path to which the Location of a response leads, for a request that was sent to `from`. */
export function createdPath({ headers }: { readonly headers: Headers }, from = '/v1/pets'): string {
  return new URL(headers.get('Location') ?? '', `http://localhost${from}`).pathname;
}
