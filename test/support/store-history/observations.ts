import { intersection, type Span } from './spans.ts';

/** What an answer says of one animal. */
export interface Claim {
  /** Its id. */
  readonly row: number;
  readonly words: () => string;
  /** When it may have been so. */
  readonly when: () => readonly Span[];
}

/** What an answer says of the store as it was at one moment between a request and its answer. */
export interface Observation {
  readonly words: () => string;
  readonly span: Span;
  readonly claims: readonly Claim[];
}

/** Why there can't have been such a moment, in words; undefined if there can. */
export function faultOf({ words, span, claims }: Observation): string | undefined {
  let moments: readonly Span[] = [span];
  for (const claim of claims) {
    const when = claim.when();
    const left = intersection(moments, when);
    if (left.length === 0) {
      const alone = intersection([span], when).length > 0;
      return `${words()}: ${claim.words()}${alone ? ', but never at once with the rest' : ''}`;
    }
    moments = left;
  }
  return undefined;
}
