import type { RequestHandler } from 'express';
import { pathOf, queryOf } from '@store-gateway/ops';
import { referenceTo } from './reference.ts';

/**
 * Redirects an address with slashes at its end to the one without, because references that are relative to the one would
 * lead elsewhere from the other. To be mounted where Express serves both.
 */
export const redirectTrailingSlash: RequestHandler = ({ originalUrl }, response, next) => {
  const path = pathOf(originalUrl);
  if (path.endsWith('/') && path !== '/') {
    const address = path.replace(/\/+$/, '') || '/';
    response
      .status(308)
      .location(referenceTo(address, { from: path }) + queryOf(originalUrl))
      .end();
  } else {
    next();
  }
};
