import { getNullableType, GraphQLID } from 'graphql';
import { StartupFailure } from '@store-gateway/ops';
import { possibleUsesOf, usesOf } from '@store-gateway/graphql/execution';
import { announcement, type Announcement, referenceTo } from '@store-gateway/http';
import { firstRemoved, type GivenArgument, type NamedDeprecation } from '@store-gateway/graphql';
import { mayBeId } from './members.ts';
import { type Operation, tagNameOf } from './operation.ts';
import type { PreparedRoute, Rest } from './rest.ts';

/** The targets of an announcement's `Link`, besides the replacement. */
export interface Documentation {
  /** The path of the REST documentation, such as /docs, which deprecations link to. By default, there is no link. */
  readonly documentation?: string;
  /** The service's public URL, for absolute references. By default, references are relative. */
  readonly publicUrl?: string | undefined;
}

type Parameters = Readonly<Record<string, unknown>>;

/** The announcements in a route's responses. */
interface Announcer {
  /** Returns the announcement that every response contains, given the executed operation and the path's parameters. */
  readonly always: (operation: Operation, parameters: Parameters) => Announcement | undefined;
  /**
   * Returns an additional announcement if these variables use an element that will be removed earlier than the one that `always`
   * announces.
   */
  readonly earlier: (
    operation: Operation,
    variableValues: Readonly<Record<string, unknown>>,
    parameters: Parameters,
  ) => Announcement | undefined;
}

/**
 * Prepares the announcements of a route's deprecations.
 *
 * @throws StartupFailure if a replacement has no route
 */
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
  const firstOf = (uses: ReturnType<typeof usesOf>): Announce | undefined => {
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
    always: (operation, parameters) => always.get(operation)?.(parameters),
    earlier: (operation, variableValues, parameters) => {
      if (inputs.length === 0) {
        return undefined;
      }
      const first = firstOf(usesOf({ schema, document: operation.document, variableValues }));
      return first === always.get(operation) ? undefined : first?.(parameters);
    },
  };
}

type Announce = (parameters: Parameters) => Announcement;

/** Matches a parameter's placeholder in a link: its name in braces, encoded as in a query. */
const PLACE = /%7B(\w+)%7D/g;

/** Returns a function that creates the headers that announce a deprecation. Their link contains ids from the request's path. */
function announcementOf(
  rest: Rest,
  { operation, path, variables }: PreparedRoute,
  deprecation: NamedDeprecation,
  { documentation, publicUrl }: Documentation,
): Announce {
  // The path pattern can be used as a base, because each parameter is exactly one segment.
  const base = { from: rest.basePath + path, publicUrl };
  const ids = variables.path.filter(
    ([, input]) => String(getNullableType(input.type)) === GraphQLID.name,
  );
  const announcementWith = (valueOf: (given: GivenArgument) => string | undefined) => {
    const [successor] = successorsOf(rest, deprecation, valueOf);
    return announcement(deprecation, {
      successor: successor && referenceTo(rest.basePath + successor, base),
      documentation:
        documentation &&
        referenceTo(`${documentation}#/${tagNameOf(operation)}/${operation.name}`, base),
    });
  };
  const fixed = announcementWith(() => undefined);
  const template = announcementWith(({ argument }) => {
    const [name] = ids.find(([, input]) => input.name === argument) ?? [];
    return name && `{${name}}`;
  });
  if (template.Link === undefined || template.Link === fixed.Link) {
    return () => fixed;
  }
  const { Deprecation, Sunset } = template;
  // Every second part is a parameter's name.
  const parts = template.Link.split(PLACE);
  // A value that can't be an id doesn't identify a resource and may be a secret, so the link doesn't contain it.
  return (parameters) =>
    ids.every(([name, { extensions }]) => mayBeId(parameters[name], extensions))
      ? {
          Deprecation,
          Sunset,
          Link: parts.reduce(
            (link, part, index) => link + (index % 2 === 0 ? part : String(parameters[part])),
            '',
          ),
        }
      : fixed;
}

/**
 * Returns the requests that replace a deprecated element, relative to the base path: "/items?status=new". There are none if the
 * replacement isn't a field.
 *
 * @param valueOf returns an argument's value in the deprecated call; replacements that need an undefined value are omitted
 * @throws StartupFailure if no field of the replacement has a route
 */
export function successorsOf(
  { routes }: Rest,
  { of, replacement }: NamedDeprecation,
  valueOf: (given: GivenArgument) => string | undefined = exampleOf,
): string[] {
  const { fields, arguments: alternatives = [{}] } = replacement;
  if (fields === undefined) {
    return [];
  }
  const serving = routes.filter(({ operation }) => fields.includes(operation.field.name));
  // Prefers a route without path parameters, because the values of such parameters are unknown here.
  const route = serving.find(({ variables }) => variables.path.length === 0) ?? serving[0];
  if (route === undefined) {
    throw new StartupFailure(
      `No REST route replaces ${of}: no route uses the field ${fields.join(' or ')}. Set replacement.fields to a field that has a route, such as ${routes[0]?.operation.field.name}, or omit it`,
    );
  }
  const parameterOf = (argument: string): string =>
    route.variables.query.find(([, { name }]) => name === argument)?.[0] ?? argument;
  return alternatives.flatMap((alternative) => {
    const query = new URLSearchParams();
    for (const [name, given] of Object.entries(alternative)) {
      const value = typeof given === 'string' ? given : valueOf(given);
      if (value === undefined) {
        return [];
      }
      query.append(parameterOf(name), value);
    }
    return query.size === 0 ? route.path : `${route.path}?${query.toString()}`;
  });
}

function exampleOf({ example }: GivenArgument): string {
  return [example].flat().join(',');
}
