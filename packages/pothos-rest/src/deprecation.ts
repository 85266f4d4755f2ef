import { announcement, type Announcement } from '@gateway/http-server/http/deprecation-headers';
import type { Deprecation } from '@gateway/pothos-plugins/lifecycle';
import { tagNameOf } from './openapi/tag.ts';
import type { PreparedRoute, Rest } from './rest.ts';

/**
 * What a deprecated route announces on whatever it answers, by what the schema says of its field's end; undefined for any
 * other route.
 */
export function announcementOf(
  rest: Rest,
  { operation }: PreparedRoute,
  documentation: string,
): Announcement | undefined {
  const { deprecation } = operation.field.extensions;
  return (
    deprecation &&
    announcement(deprecation, {
      successor: rest.basePath + successorOf(rest, deprecation),
      documentation: `${documentation}#/${tagNameOf(operation)}/${operation.name}`,
    })
  );
}

/**
 * What serves instead, relative to the base address: "/items?status=new".
 *
 * @throws if no route does
 */
export function successorOf({ routes }: Rest, { replacement }: Deprecation): string {
  const route = routes.find(({ operation }) => replacement.fields.includes(operation.field.name));
  if (route === undefined) {
    throw new Error(`No REST route serves instead: none is on ${replacement.fields.join(' or ')}`);
  }
  return `${route.path}?${new URLSearchParams(replacement.arguments).toString()}`;
}
