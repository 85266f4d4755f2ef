import type { RequestHandler } from 'express';
import helmet from 'helmet';

type Directives = Readonly<Record<string, readonly string[]>>;

/** For every answer: what is not sent as a script is not run as one. */
export const forbidSniffing: RequestHandler = (_request, response, next) => {
  response.setHeader('X-Content-Type-Options', 'nosniff');
  next();
};

/**
 * For what a browser shows: helmet's headers, and a Content-Security-Policy that allows nothing but
 * `directives`, such as { scriptSrc: ["'self'"] }.
 */
export function protectPage(directives: Directives): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
        ...directives,
      },
    },
    xFrameOptions: { action: 'deny' },
    // Not over plain HTTP, which is all that we speak (RFC 6797, 7.2). It binds every port of the host:
    // that is for whoever ends TLS in front of us to say.
    strictTransportSecurity: false,
  });
}
