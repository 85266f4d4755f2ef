import { announcement, type Announcement } from '@gateway/http-server/http/deprecation-headers';
import type { Deprecation } from '@gateway/pothos-plugins/lifecycle';
import { tagNameOf } from './openapi/tag.ts';
import type { PreparedRoute, Rest } from './rest.ts';

/** The headers of a deprecated route's responses; undefined for any other route. */
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

/** The replacement, relative to the base address: "/items?status=new". @throws if no route is on its fields */
export function successorOf({ routes }: Rest, { replacement }: Deprecation): string {
  const route = routes.find(({ operation }) => replacement.fields.includes(operation.field.name));
  if (route === undefined) {
    throw new Error(`No REST route serves instead: none is on ${replacement.fields.join(' or ')}`);
  }
  return `${route.path}?${new URLSearchParams(replacement.arguments).toString()}`;
}
