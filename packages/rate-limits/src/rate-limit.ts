import { LRUCache } from 'lru-cache';
import { createExchange, type SharedCounts } from './sync.ts';
import { policyField, standingField } from './header-fields.ts';
import type { NamedPolicy } from './policy.ts';
import { hasRoom, leak, newUsage, standingOf, type Standing, type Usage } from './usage.ts';

/** A limit on how much each of many may ask for. */
export interface RateLimit {
  readonly policy: NamedPolicy;
  /** The RateLimit-Policy header. */
  readonly policyField: string;
  /** The RateLimit header of somebody who stands so. */
  readonly standingField: (standing: Standing) => string;
  /** Counts a request of somebody if it is within the limit, and tells whether it is. */
  readonly take: (subject: string) => Standing;
  /** Tells the same of a request that is not to be counted. */
  readonly look: (subject: string) => Standing;
  /** Tells the other processes what is counted. To be called before the process ends. */
  readonly flush: () => Promise<void>;
}

/** How many are known at a time. Whoever has to make room for others starts anew. */
const SUBJECTS = 10_000;

/** @param now milliseconds of a clock that is never set */
export function createRateLimit(
  policy: NamedPolicy,
  counts: SharedCounts,
  now: () => number,
): RateLimit {
  const exchange = createExchange(policy, { counts, now });
  const usages = new LRUCache<string, Usage>({ max: SUBJECTS, dispose: exchange.forget });

  function current(subject: string): Usage {
    const time = now();
    const known = usages.get(subject);
    if (known !== undefined) {
      leak(known, policy, time);
      return known;
    }
    const usage = newUsage(subject, policy, time);
    usages.set(subject, usage);
    return usage;
  }

  return {
    policy,
    policyField: policyField(policy),
    standingField: (standing) => standingField(policy.name, standing),
    take: (subject) => {
      const usage = current(subject);
      const allowed = hasRoom(usage, policy);
      if (allowed) {
        exchange.count(usage);
      }
      return standingOf(usage, policy, allowed);
    },
    look: (subject) => {
      const usage = current(subject);
      return standingOf(usage, policy, hasRoom(usage, policy));
    },
    flush: exchange.flush,
  };
}
