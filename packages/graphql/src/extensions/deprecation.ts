/** How something is removed: messages, headers and counts follow from it. */
export interface Deprecation {
  /** The day of the announcement, in UTC: "2026-11-21". */
  readonly since: string;
  /** The first day, in UTC, on which it is gone. */
  readonly removal: string;
  readonly replacement: {
    /** Ends the sentence "Use … instead". */
    readonly inWords: string;
    /** Fields of Query that serve instead, the best one first: by them, headers have a link that works. */
    readonly fields?: readonly [string, ...string[]];
    /** Arguments to give these; of several, the best first. */
    readonly arguments?: readonly Readonly<Record<string, string | GivenArgument>>[];
  };
}

/** Stands for the value that an argument of the deprecated call has. */
export interface GivenArgument {
  readonly argument: string;
  /** In the place of that value where there is no call, such as in descriptions: a literal of GraphQL, or those of a list. */
  readonly example: string | readonly string[];
}

/** A deprecation, and what it is of. */
export interface NamedDeprecation extends Deprecation {
  /** As it is counted and listed: a field of Query or Mutation, a route, or a schema coordinate such as "Item.size". */
  readonly of: string;
  /** As errors of both APIs call it. */
  readonly name: string;
}

/** What errors call an operation: whoever gets them knows which. */
const OPERATION = 'This';

/**
 * Names a deprecation.
 *
 * @throws if its days are none, or in the wrong order
 */
export function named(
  deprecation: Deprecation,
  of: string,
  name: string = OPERATION,
): NamedDeprecation {
  const { since, removal } = deprecation;
  if (!isDay(since) || !isDay(removal) || since >= removal) {
    throw new Error(
      `The deprecation of ${of} needs days such as 2030-12-05, its removal after its since`,
    );
  }
  return { ...deprecation, of, name };
}

/** Whether a text is a day: "2030-12-05". */
export function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** When it is removed, in milliseconds since 1970. */
export function removalTime({ removal }: Deprecation): number {
  return Date.parse(removal);
}

/** The one that is removed first. */
export function firstRemoved<Some extends Deprecation>(
  deprecations: readonly Some[],
): Some | undefined {
  // Days are in the order of their texts.
  return deprecations.reduce<Some | undefined>(
    (first, each) => (first === undefined || each.removal < first.removal ? each : first),
    undefined,
  );
}

/**
 * Why something is deprecated: until when it stays, and what serves instead.
 *
 * @param calls of what serves instead, as clients write them
 */
export function deprecationReason(
  { removal, replacement }: Deprecation,
  calls: readonly string[],
): string {
  const instead = calls.length === 0 ? '' : `: ${calls.join(' or ')}`;
  return `To be removed on ${inFull(removal)}. Use ${replacement.inWords} instead${instead}.`;
}

/** The same for descriptions, which have no place of their own for it. */
export function deprecationSentences(deprecation: Deprecation, calls: readonly string[]): string {
  return `Deprecated since ${inFull(deprecation.since)}. ${deprecationReason(deprecation, calls)}`;
}

/** The fields that serve instead, as GraphQL calls them: "items(status: new)". */
export function replacementCalls({ replacement }: Deprecation): string[] {
  const { fields = [], arguments: alternatives = [{}] } = replacement;
  return alternatives.flatMap((alternative) => {
    const inputs = Object.entries(alternative).map(([name, value]) => `${name}: ${literal(value)}`);
    const called = inputs.length === 0 ? '' : `(${inputs.join(', ')})`;
    return fields.map((field) => field + called);
  });
}

function literal(value: string | GivenArgument): string {
  const example = typeof value === 'string' ? value : value.example;
  return typeof example === 'string' ? example : `[${example.join(', ')}]`;
}

/** The first replacement that doesn't depend on the deprecated call's arguments; undefined if there is none. */
export function fixedReplacementCall(deprecation: Deprecation): string | undefined {
  const { arguments: alternatives = [{}], ...replacement } = deprecation.replacement;
  const fixed = alternatives.find((alternative) =>
    Object.values(alternative).every((value) => typeof value === 'string'),
  );
  if (fixed === undefined) {
    return undefined;
  }
  const [call] = replacementCalls({
    ...deprecation,
    replacement: { ...replacement, arguments: [fixed] },
  });
  return call;
}

/** The message of GONE. */
export function removalMessage({ name, removal, replacement }: NamedDeprecation): string {
  return `${name} was removed on ${inFull(removal)}. Use ${replacement.inWords} instead`;
}

const MONTHS =
  'January February March April May June July August September October November December'.split(
    ' ',
  );

/** "5 December 2030". The first use of Intl would take 13 ms of each start. */
function inFull(day: string): string {
  const date = new Date(day);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()] ?? ''} ${date.getUTCFullYear()}`;
}
