import { deprecationHeaders } from '@gateway/http-server/http/deprecation-headers';
import type { JsonObject } from '@gateway/exact-json/json';
import { successorOf } from '../deprecation.ts';
import { BASE_PATH, type Route } from '../../../../src/rest/routes.ts';
import { EXAMPLE_ID } from './examples.ts';
import { header } from './header.ts';
import { isPaged } from './output-schemas.ts';

export function locationHeader({ path }: Route): JsonObject {
  const example = `${BASE_PATH}${path}/${EXAMPLE_ID}`;
  return header('Where the new one is.', example, { format: 'uri-reference' });
}

/** What a deprecated route has on everything that it answers. */
export function deprecationHeaderObjects({ operation }: Route): JsonObject {
  const { deprecation } = operation.field.extensions;
  if (deprecation === undefined) {
    return {};
  }
  const { Deprecation, Sunset } = deprecationHeaders(deprecation);
  return {
    Deprecation: header('Since when, as `@` and Unix seconds (RFC 9745).', Deprecation),
    Sunset: header('When it will be gone (RFC 8594).', Sunset),
  };
}

interface Link {
  readonly relation: string;
  readonly meaning: string;
  /** For example. */
  readonly target?: string;
}

/** The links of a page, on what tells a page (packages/pothos-rest/src/page.ts). */
export function pageLinks({ path, operation }: Route): Link[] {
  const address = BASE_PATH + path;
  const next = `${address}?after=${EXAMPLE_ID}`;
  return isPaged(operation)
    ? [
        { relation: 'first', meaning: 'where the list begins', target: address },
        { relation: 'next', meaning: 'where it goes on, while there is more', target: next },
      ]
    : [];
}

/** The links of a deprecated route, on everything that it answers. */
export function deprecationLinks({ operation }: Route): Link[] {
  const { deprecation } = operation.field.extensions;
  if (deprecation === undefined) {
    return [];
  }
  const successor = BASE_PATH + successorOf(deprecation);
  return [
    { relation: 'successor-version', meaning: 'what serves instead', target: successor },
    { relation: 'deprecation', meaning: 'where to read about it' },
  ];
}

/** The header Link with these, if there are any. */
export function linkHeader(links: readonly Link[]): JsonObject {
  if (links.length === 0) {
    return {};
  }
  const meanings = links.map(({ relation, meaning }) => `\`rel="${relation}"\` ${meaning}`);
  const examples = links.flatMap(({ relation, target }) =>
    target === undefined ? [] : [`<${target}>; rel="${relation}"`],
  );
  return {
    Link: header(`Relative references (RFC 8288): ${meanings.join('; ')}.`, examples.join(', ')),
  };
}
