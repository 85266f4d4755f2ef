import type { Access } from '@gateway/gateway/access';

/** Every valid API key may do everything. */
export const access: Access = { keyPrefix: 'asg_' };
