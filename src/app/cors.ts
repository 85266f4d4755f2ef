import cors from 'cors';
import type { RequestHandler } from 'express';

/** Seconds that a browser may remember what it was allowed: the longest that Chromium keeps. */
const PREFLIGHT_SECONDS = 7200;

/**
 * Lets pages of these origins use the service from a browser, both surfaces alike
 * (https://fetch.spec.whatwg.org/#http-cors-protocol). Keys are sent by the page itself: no cookies, no
 * credentials.
 */
export function allowOrigins(origins: readonly string[]): RequestHandler {
  const allow = cors({
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'HEAD', 'POST'],
    allowedHeaders: ['Authorization', 'Content-Type', 'If-None-Match', 'X-Request-Id'],
    exposedHeaders: [
      'Deprecation',
      'ETag',
      'Link',
      'Location',
      'Retry-After',
      'Sunset',
      'WWW-Authenticate',
      'X-Request-Id',
    ],
    maxAge: PREFLIGHT_SECONDS,
  });
  return (request, response, next) => {
    // Any other OPTIONS is a method like others, and refused like others.
    const preflight = request.get('Access-Control-Request-Method') !== undefined;
    if (request.method === 'OPTIONS' && !preflight) {
      next();
    } else {
      allow(request, response, next);
    }
  };
}
