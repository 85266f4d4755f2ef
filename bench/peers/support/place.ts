/** A place in an order of animals: behind one of them. */
export interface Place {
  readonly order: string;
  readonly categoryId: bigint;
  readonly name: string;
  readonly id: bigint;
}

/** Reads a cursor; undefined for what is none. */
export function placeIn(cursor: string): Place | undefined {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (!Array.isArray(values) || !values.every((value) => typeof value === 'string')) {
      return undefined;
    }
    const [order = '', ...rest] = values;
    const [id = '', name = '', categoryId = '0'] = rest.toReversed();
    return { order, categoryId: BigInt(categoryId), name, id: BigInt(id) };
  } catch {
    return undefined;
  }
}
