export { clientOfKey, createFairQueue, type FairQueue } from './fair/fair-queue.ts';
export { createExecutionSlots, createOpenShares } from './fair/execution-slots.ts';
export {
  createRateLimit,
  createRateLimits,
  createSharedCounts,
  LIMIT_MESSAGES,
  limitHeaders,
  MAX_WINDOW_SECONDS,
  parsePolicy,
  type RateLimit,
  type RateLimitPolicy,
  type RateLimits,
  type RemainingQuota,
  type SharedCounts,
  tooManyRequests,
} from './limits/rate-limits.ts';
