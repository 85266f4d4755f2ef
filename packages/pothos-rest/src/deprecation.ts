import { announcement, type Announcement } from '@gateway/http-server/http/deprecation-headers';
import type { Deprecation } from '@gateway/pothos-plugins/lifecycle';
import { BASE_PATH, routes, type Route } from '../../../src/rest/routes.ts';

/**
 * What a deprecated route announces on whatever it answers, by what the schema says of its field's end;
 * undefined for any other route.
 */
export function announcementOf(
  { operation }: Route,
  documentation: string,
): Announcement | undefined {
  const { deprecation } = operation.field.extensions;
  return (
    deprecation &&
    announcement(deprecation, {
      successor: BASE_PATH + successorOf(deprecation),
      documentation: `${documentation}#/animals/${operation.name}`,
    })
  );
}

/**
 * What serves instead, relative to the base address: "/pets?status=available".
 *
 * @throws if no route does
 */
export function successorOf({ replacement }: Deprecation): string {
  const route = routes.find(({ operation }) => replacement.fields.includes(operation.field.name));
  if (route === undefined) {
    throw new Error(`No REST route serves instead: none is on ${replacement.fields.join(' or ')}`);
  }
  return `${route.path}?${new URLSearchParams(replacement.arguments).toString()}`;
}
