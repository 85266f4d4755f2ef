export { expectBoundedLists } from './bounded-lists.ts';
export { type DeduplicatedWrite, MAX_KEY_LENGTH } from './idempotency.ts';
export { prefixedColumns } from './list-filters.ts';
export { RESOURCES } from './resource-plugin.ts';
import './visible-types.ts';
