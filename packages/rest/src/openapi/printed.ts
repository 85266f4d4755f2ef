import {
  type Endpoint,
  preparePublicDocument,
  servePublicDocument,
  JSON_TYPE,
} from '@store-gateway/http';
import type { Rest } from '../rest.ts';

// The document and its code are loaded at the first request, not at start.

/**
 * The contract as JSON text.
 *
 * @param publicUrl where clients reach the service; by default, its address is relative to the document's
 */
export async function printJson(rest: Rest, publicUrl?: string): Promise<string> {
  const { openApiDocument } = await import('./document.ts');
  return `${JSON.stringify(openApiDocument(rest, publicUrl), null, 2)}\n`;
}

/** As YAML 1.2 that means the same in 1.1, which many parsers still expect. */
async function printYaml(rest: Rest, publicUrl?: string): Promise<string> {
  const { openApiDocument } = await import('./document.ts');
  const { stringify } = await import('yaml');
  return stringify(openApiDocument(rest, publicUrl), {
    aliasDuplicateObjects: false,
    compat: 'yaml-1.1',
  });
}

/** What answers at the document's paths. */
export function openApiAddresses(
  rest: Rest,
  publicUrl?: string,
): Readonly<Record<string, Endpoint['answer']>> {
  return {
    // No media type for OpenAPI is registered yet, and browsers would download unregistered ones.
    '/openapi.json': servePublicDocument(async () =>
      preparePublicDocument(await printJson(rest, publicUrl), JSON_TYPE),
    ),
    // RFC 9512: UTF-8, without a parameter.
    '/openapi.yaml': servePublicDocument(async () =>
      preparePublicDocument(await printYaml(rest, publicUrl), 'application/yaml'),
    ),
  };
}
