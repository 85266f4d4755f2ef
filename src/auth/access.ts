import type { Access } from '@store-gateway/gateway';

/** Queries need the scope `read`, mutations need `write`. An unrestricted key has both. */
export const access: Access = { keyPrefix: 'asg_' };
