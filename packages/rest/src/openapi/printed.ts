import {
  type Endpoint,
  preparePublicDocument,
  servePublicDocument,
  JSON_TYPE,
} from '@store-gateway/http';
import type { Rest } from '../rest.ts';

// The code is loaded, and the document created, at the first request rather than at startup.

/**
 * Returns the contract as JSON text.
 *
 * @param publicUrl the service's public URL; by default, the server's URL is relative to the document's
 */
export async function printJson(rest: Rest, publicUrl?: string): Promise<string> {
  const { openApiDocument } = await import('./document.ts');
  return `${JSON.stringify(openApiDocument(rest, publicUrl), null, 2)}\n`;
}

/** Returns the contract as YAML 1.2 that means the same in YAML 1.1, which many parsers still expect. */
async function printYaml(rest: Rest, publicUrl?: string): Promise<string> {
  const { openApiDocument } = await import('./document.ts');
  const { stringify } = await import('yaml');
  return stringify(openApiDocument(rest, publicUrl), {
    aliasDuplicateObjects: false,
    compat: 'yaml-1.1',
  });
}

/** Returns the handlers of the document's paths. */
export function openApiAddresses(
  rest: Rest,
  publicUrl?: string,
): Readonly<Record<string, Endpoint['answer']>> {
  return {
    // No media type for OpenAPI is registered yet, and browsers would download unregistered ones.
    '/openapi.json': servePublicDocument(async () =>
      preparePublicDocument(await printJson(rest, publicUrl), JSON_TYPE),
    ),
    // Always UTF-8, without a charset parameter (RFC 9512).
    '/openapi.yaml': servePublicDocument(async () =>
      preparePublicDocument(await printYaml(rest, publicUrl), 'application/yaml'),
    ),
  };
}
