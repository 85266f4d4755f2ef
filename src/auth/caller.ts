/** The holder of a valid API key. */
export interface Caller {
  readonly keyId: bigint;
}
