import { announcement, type Announcement } from '@gateway/http-server/http/deprecation-headers';
import { referenceTo } from '@gateway/http-server/http/reference';
import type { Deprecation } from '@gateway/pothos-plugins/lifecycle';
import { tagNameOf } from './openapi/tag.ts';
import type { PreparedRoute, Rest } from './rest.ts';

export interface Documentation {
  /** The path of the documentation for people. */
  readonly documentation: string;
  /** Where clients reach the service, for absolute references; relative ones by default. */
  readonly publicUrl?: string | undefined;
}

/** The headers of a deprecated route's responses; undefined for any other route. */
export function announcementOf(
  rest: Rest,
  { operation, path }: PreparedRoute,
  { documentation, publicUrl }: Documentation,
): Announcement | undefined {
  const { deprecation } = operation.field.extensions;
  // A parameter stands for one segment, whatever it is.
  const base = { from: rest.basePath + path, publicUrl };
  return (
    deprecation &&
    announcement(deprecation, {
      successor: referenceTo(rest.basePath + successorOf(rest, deprecation), base),
      documentation: referenceTo(
        `${documentation}#/${tagNameOf(operation)}/${operation.name}`,
        base,
      ),
    })
  );
}

/** The replacement, relative to the base address: "/items?status=new". @throws if no route is on its fields */
export function successorOf({ routes }: Rest, { replacement }: Deprecation): string {
  const route = routes.find(({ operation }) => replacement.fields.includes(operation.field.name));
  if (route === undefined) {
    throw new Error(`No REST route serves instead: none is on ${replacement.fields.join(' or ')}`);
  }
  const query = new URLSearchParams(replacement.arguments).toString();
  return query === '' ? route.path : `${route.path}?${query}`;
}
