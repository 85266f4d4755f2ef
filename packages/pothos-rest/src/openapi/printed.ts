import type { RequestHandler } from 'express';
import {
  preparePublicDocument,
  servePublicDocument,
} from '@gateway/http-server/http/public-document';
import { JSON_TYPE } from '@gateway/http-server/http/json-type';
import type { Rest } from '../rest.ts';

// The document, and what makes it, is loaded when someone first asks for it: a start needs none of that.

/** The contract as JSON text. */
export async function printJson(rest: Rest): Promise<string> {
  const { openApiDocument } = await import('./document.ts');
  return `${JSON.stringify(openApiDocument(rest), null, 2)}\n`;
}

/** The same as YAML 1.2 that says the same in 1.1, which many readers still take it for: no dates. */
async function printYaml(rest: Rest): Promise<string> {
  const { openApiDocument } = await import('./document.ts');
  const { stringify } = await import('yaml');
  return stringify(openApiDocument(rest), { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
}

/** The document at the addresses that it is served at, relative to the routes' own. */
export function openApiAddresses(rest: Rest): Readonly<Record<string, RequestHandler>> {
  return {
    // Of the types for OpenAPI none is registered yet, and browsers would offer them for download.
    '/openapi.json': servePublicDocument(async () =>
      preparePublicDocument(await printJson(rest), JSON_TYPE),
    ),
    // RFC 9512: always UTF-8, without a parameter to say so.
    '/openapi.yaml': servePublicDocument(async () =>
      preparePublicDocument(await printYaml(rest), 'application/yaml'),
    ),
  };
}
