import type { Access } from '@gateway/gateway/gateway';

/** Who may use the store: whoever has one of its API keys, for everything. */
export const access: Access = { keyPrefix: 'asg_' };
