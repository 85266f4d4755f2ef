import type { NamedDeprecation } from '@store-gateway/pothos-plugins/deprecation';
import { deprecationOfType } from '@store-gateway/pothos-plugins/schema-deprecations';
import { createUses } from '../uses/uses.ts';

/** What operations use of what is deprecated. */
export const {
  usesOf,
  possibleUsesOf,
  within: deprecationsWithin,
} = createUses<NamedDeprecation>({
  ofField: ({ extensions }) => extensions.deprecation,
  ofGiven: ({ extensions }) => extensions.deprecation,
  ofCondition: deprecationOfType,
});
