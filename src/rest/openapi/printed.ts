import type { RequestHandler } from 'express';
import { stringify } from 'yaml';
import { preparePublicDocument, servePublicDocument } from '../../http/public-document.ts';
import { MEDIA_TYPE } from '../media-type.ts';
import { openApiDocument } from './document.ts';

/** What openapi.json holds. */
export function printJson(): string {
  return `${JSON.stringify(openApiDocument, null, 2)}\n`;
}

/** The same as YAML 1.2 that says the same in 1.1, which many readers still take it for: no dates. */
function printYaml(): string {
  return stringify(openApiDocument, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
}

/** The document at the addresses that it is served at, relative to the routes' own. */
export const openApiAddresses: Readonly<Record<string, RequestHandler>> = {
  // Of the types for OpenAPI none is registered yet, and browsers would offer them for download.
  '/openapi.json': servePublicDocument(() => preparePublicDocument(printJson(), MEDIA_TYPE)),
  // RFC 9512: always UTF-8, without a parameter to say so.
  '/openapi.yaml': servePublicDocument(() =>
    preparePublicDocument(printYaml(), 'application/yaml'),
  ),
};
