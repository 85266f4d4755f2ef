import type { NamedDeprecation } from '../extensions/deprecation.ts';
import { deprecationOfType } from '../extensions/schema-deprecations.ts';
import { createUses } from '../uses/uses.ts';

/** What operations use of what is deprecated. */
export const {
  /** Where an operation with its variables uses what is deprecated. */
  usesOf,
  /** Where it does whatever its variables are, and where it may. */
  possibleUsesOf,
  /** What is deprecated within an input type. */
  within: deprecationsWithin,
} = createUses<NamedDeprecation>({
  ofField: ({ extensions }) => extensions.deprecation,
  ofGiven: ({ extensions }) => extensions.deprecation,
  ofCondition: deprecationOfType,
});
