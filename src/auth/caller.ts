/** Whoever holds a valid API key. There is no other kind of caller. */
export interface Caller {
  readonly keyId: bigint;
}
