import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * Adds security headers to pages: helmet's headers, and a Content-Security-Policy that allows nothing but `directives`, such as
 * { scriptSrc: ["'self'"] }.
 */
export function protectPage(
  directives: Readonly<Record<string, readonly string[]>>,
): RequestHandler {
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
    // Left to the proxy that terminates TLS: the header must not be sent over plain HTTP (RFC 6797, 7.2), and it affects every
    // port of the host.
    strictTransportSecurity: false,
  });
}
