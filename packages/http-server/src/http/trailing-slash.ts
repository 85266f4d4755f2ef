import type { RequestHandler } from 'express';

/**
 * Redirects an address with a slash at its end to the one without, because references that are relative to the one would
 * lead elsewhere from the other. To be mounted where Express serves both.
 */
export const redirectTrailingSlash: RequestHandler = ({ originalUrl }, response, next) => {
  const [, name, query = ''] = /([^/]+)\/(\?.*)?$/.exec(originalUrl) ?? [];
  if (name === undefined) {
    next();
  } else {
    response.status(308).location(`../${name}${query}`).end();
  }
};
