import type { Models } from '@gateway/batched-prisma/model';
import { IDEMPOTENCY } from '@gateway/pothos-plugins/idempotency-plugin';
import { INPUT_RULES } from '@gateway/pothos-plugins/input-rules-plugin';
import { LIFECYCLE } from '@gateway/pothos-plugins/lifecycle-plugin';
import { RESOURCES } from '@gateway/pothos-plugins/resource-plugin';
import { VIOLATIONS } from '@gateway/pothos-plugins/violations-plugin';
import PrismaPlugin from '@pothos/plugin-prisma';
import type { Services } from '../context.ts';
import { deduplicating } from './idempotency.ts';
import { violationIn } from './violations.ts';

/** The first one's wrapper is the outermost: a removed field is GONE whatever its arguments. */
const PLUGINS = [PrismaPlugin, LIFECYCLE, INPUT_RULES, VIOLATIONS, IDEMPOTENCY, RESOURCES] as const;

/**
 * What a store's Pothos builder needs to be served by a gateway; the store adds `prisma`.
 *
 * @param models as the generator of batched-prisma has written them
 */
export function builderOptions(models: Models) {
  return {
    plugins: [...PLUGINS],
    defaultFieldNullability: false as const,
    violations: { violationOf: violationIn },
    idempotency: { deduplicating },
    resources: { models },
    lifecycle: { now: ({ now }: Pick<Services, 'now'>) => now() },
  };
}
