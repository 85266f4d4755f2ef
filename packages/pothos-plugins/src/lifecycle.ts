/** How firmly an operation stands: `beta` may still change, `experimental` may go as well. */
export type Stability = 'stable' | 'beta' | 'experimental';

/** What a field's declaration says of its end. All else that clients are told of it follows from this. */
export interface Deprecation {
  /** The day from which on clients are told, in UTC: "2026-11-21". */
  readonly since: string;
  /** The day from whose beginning on, in UTC, the field is gone. */
  readonly removal: string;
  readonly replacement: {
    /** Ends the sentence "Use … instead", for the clients of every surface. */
    readonly inWords: string;
    /** Fields of Query that serve instead, the one to begin with first. */
    readonly fields: readonly [string, ...string[]];
    /** Arguments to give these. */
    readonly arguments: Readonly<Record<string, string>>;
  };
}

declare module 'graphql' {
  // oxlint-disable-next-line typescript/no-unused-vars -- a merged declaration repeats the parameters
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    deprecation?: Deprecation | undefined;
    stability?: Stability | undefined;
  }
}

/**
 * Until when, and what then.
 *
 * @param calls of what serves instead, as the clients of a surface write them
 */
export function deprecationReason(
  { removal, replacement }: Deprecation,
  calls: readonly string[],
): string {
  return `To be removed on ${inFull(removal)}. Use ${replacement.inWords} instead: ${calls.join(' or ')}.`;
}

/** The fields that serve instead, as GraphQL calls them: "items(status: new)". */
export function replacementCalls({ replacement }: Deprecation): string[] {
  const inputs = Object.entries(replacement.arguments).map(([name, value]) => `${name}: ${value}`);
  return replacement.fields.map((field) => `${field}(${inputs.join(', ')})`);
}

/** What whoever still calls a field hears once it is gone. */
export function removalMessage({ removal, replacement }: Deprecation): string {
  return `This was removed on ${inFull(removal)}. Use ${replacement.inWords} instead`;
}

const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );

/** A day as people write it: "5 December 2030". The first use of Intl would take 13 ms of each start. */
export function inFull(day: string): string {
  const date = new Date(day);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()] ?? ''} ${date.getUTCFullYear()}`;
}
