export { clientOfKey } from './fair/client-of-key.ts';
export { createExecutionSlots, createOpenShares } from './fair/execution-slots.ts';
export { createFairQueue, type FairQueue } from './fair/fair-queue.ts';
export { LONGEST_WINDOW, parsePolicy, type RateLimitPolicy } from './limits/shared-counts.ts';
export {
  type RemainingQuota,
  createRateLimit,
  type RateLimit,
  createRateLimits,
  type RateLimits,
  LIMIT_MESSAGES,
  limitHeaders,
  tooManyRequests,
} from './limits/rate-limits.ts';
export { createSharedCounts, type SharedCounts } from './limits/shared-counts.ts';
