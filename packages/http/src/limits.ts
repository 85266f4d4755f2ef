export { clientOfKey, createFairQueue, type FairQueue } from './fair/fair-queue.ts';
export { createExecutionSlots, createOpenShares } from './fair/execution-slots.ts';
export {
  createRateLimit,
  createRateLimits,
  createSharedCounts,
  LIMIT_MESSAGES,
  limitHeaders,
  LONGEST_WINDOW,
  parsePolicy,
  type RateLimit,
  type RateLimitPolicy,
  type RateLimits,
  type RemainingQuota,
  type SharedCounts,
  tooManyRequests,
} from './limits/rate-limits.ts';
