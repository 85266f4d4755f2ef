import { StartupFailure } from '@store-gateway/errors/startup-failure';
import { possibleUsesOf, usesOf } from '@store-gateway/graphql-server/deprecations/uses';
import {
  announcement,
  type Announcement,
} from '@store-gateway/http-server/http/deprecation-headers';
import { referenceTo } from '@store-gateway/http-server/http/reference';
import { firstRemoved, type NamedDeprecation } from '@store-gateway/schema-extensions/deprecation';
import type { Operation } from './operation.ts';
import { tagNameOf } from './openapi/tag.ts';
import type { PreparedRoute, Rest } from './rest.ts';

/** Where deprecations are explained, for the `Link` of responses that announce one. */
export interface Documentation {
  /** The path of the documentation for people, to which deprecations link: /docs, for example. By default they don't. */
  readonly documentation?: string;
  /** Where clients reach the service, for absolute references; relative ones by default. */
  readonly publicUrl?: string | undefined;
}

/** Tells what the responses of a route announce. */
export interface Announcer {
  /** Of any request, by the operation that it executes. */
  readonly always: (operation: Operation) => Announcement | undefined;
  /** Of a request with these variables, if something is removed before what is announced of any. */
  readonly earlier: (
    operation: Operation,
    variableValues: Readonly<Record<string, unknown>>,
  ) => Announcement | undefined;
}

/** @throws if no route serves instead of something */
export function announcerOf(
  rest: Rest,
  route: PreparedRoute,
  documentation: Documentation,
): Announcer {
  const { schema } = rest;
  const { own, end, members, inputs } = route.deprecations;
  const all = [own, end, ...members, ...inputs].filter((each) => each !== undefined);
  const announcements = new Map(
    all.map((each) => [each.of, announcementOf(rest, route, each, documentation)]),
  );
  const firstOf = (uses: ReturnType<typeof usesOf>): Announcement | undefined => {
    const used = uses.map(({ mark }) => mark);
    const first = firstRemoved(own === undefined ? used : [own, ...used]);
    return first && announcements.get(first.of);
  };
  const always = new Map(
    route.stages.map(({ operation }) => [
      operation,
      firstOf(possibleUsesOf({ schema, document: operation.document }).always),
    ]),
  );
  return {
    always: (operation) => always.get(operation),
    earlier: (operation, variableValues) => {
      if (inputs.length === 0) {
        return undefined;
      }
      const first = firstOf(usesOf({ schema, document: operation.document, variableValues }));
      return first === always.get(operation) ? undefined : first;
    },
  };
}

/** The headers of a route's responses that announce a deprecation. */
function announcementOf(
  rest: Rest,
  { operation, path }: PreparedRoute,
  deprecation: NamedDeprecation,
  { documentation, publicUrl }: Documentation,
): Announcement {
  // A parameter stands for one segment, whatever it is.
  const base = { from: rest.basePath + path, publicUrl };
  const [successor] = successorsOf(rest, deprecation);
  return announcement(deprecation, {
    successor: successor && referenceTo(rest.basePath + successor, base),
    documentation:
      documentation &&
      referenceTo(`${documentation}#/${tagNameOf(operation)}/${operation.name}`, base),
  });
}

/**
 * What serves instead, relative to the base address: "/items?status=new"; nothing if the replacement isn't a field.
 *
 * @throws StartupFailure if no route is on its fields
 */
export function successorsOf({ routes }: Rest, { of, replacement }: NamedDeprecation): string[] {
  const { fields, arguments: alternatives = [{}] } = replacement;
  if (fields === undefined) {
    return [];
  }
  const serving = routes.filter(({ operation }) => fields.includes(operation.field.name));
  // A parameter of the path would have no value here.
  const route = serving.find(({ variables }) => variables.path.length === 0) ?? serving[0];
  if (route === undefined) {
    throw new StartupFailure(
      `No REST route serves instead of ${of}: none is on ${fields.join(' or ')}; let its replacement name a field that one is on, such as ${routes[0]?.operation.field.name}, or none`,
    );
  }
  const parameterOf = (argument: string): string =>
    route.variables.query.find(([, { name }]) => name === argument)?.[0] ?? argument;
  return alternatives.map((alternative) => {
    const given = Object.entries(alternative).map(([name, value]) => [parameterOf(name), value]);
    const query = new URLSearchParams(given).toString();
    return query === '' ? route.path : `${route.path}?${query}`;
  });
}
