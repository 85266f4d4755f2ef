/** What a client does on a connection of its own. */
export interface Exchange {
  /** What kind of attack it is, in words. */
  readonly kind: string;
  readonly bytes: Buffer;
  /** Where the bytes are cut into writes, ascending. */
  readonly cuts: readonly number[];
  /** How it ends: by waiting for answers, by half-closing at once, or by a reset at once. */
  readonly end: 'wait' | 'close' | 'reset';
  /**
   * The methods of the requests, if the bytes are nothing but whole requests in sound framing and it waits: each is to
   * be answered, and nothing else. Undefined if nobody knows what a server should make of the bytes.
   */
  readonly methods: readonly string[] | undefined;
  /** In the name of each animal that it asks for; nothing else has it. */
  readonly tag: string;
}

/** Stands in exchanges for the key, which each run has another of; as long as one. */
export const KEY_PLACE = `asg_${'K'.repeat(49)}`;

/**
 * Begins the names of animals that only a wrong reading of the bytes would add: no run may leave one, whatever was
 * answered.
 */
export const FORBIDDEN = 'must not be';
