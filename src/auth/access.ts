import type { Access } from '@store-gateway/gateway';

/** Queries need the scope `read`, mutations `write`; a key that is not restricted has both. */
export const access: Access = { keyPrefix: 'asg_' };
