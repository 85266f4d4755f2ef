import type { Access } from '@gateway/gateway/access';

/** Who may use the store: whoever has one of its API keys, for everything. */
export const access: Access = { keyPrefix: 'asg_' };
