/** Each value is one of a few, never a key, an address or text of a client's. */
export type Labels = Readonly<Record<string, string | number>>;
