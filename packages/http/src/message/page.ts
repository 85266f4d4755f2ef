import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** Markup that needs no escaping. */
export interface Html {
  /** The HTML to write into a page. */
  readonly markup: string;
}

/** A value in a template. Text is escaped, and undefined is omitted. */
type Content = Html | string | number | undefined | readonly Content[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** Creates markup from a template, and escapes its values unless they are markup themselves. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  return { markup: String.raw({ raw: strings }, ...values.map(markupOf)) };
}

/** Escapes text for HTML, within an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

function markupOf(content: Content): string {
  if (content === undefined) {
    return '';
  }
  if (typeof content === 'string' || typeof content === 'number') {
    return escapeHtml(String(content));
  }
  return 'markup' in content ? content.markup : content.map(markupOf).join('');
}

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
    // HSTS is left to the proxy that terminates TLS: it must not be sent over plain HTTP (RFC 6797, 7.2), and it affects every
    // port of the host.
    strictTransportSecurity: false,
  });
}
