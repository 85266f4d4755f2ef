import type { Request, Response } from 'express';
import { announceDeprecation } from '../http/deprecation-headers.ts';
import type { Deprecation } from '../schema/lifecycle.ts';
import { routes, type Route } from './routes.ts';

/** Announces, on whatever a deprecated route answers, what the schema says of its field's end. */
export function announceRouteDeprecation(
  { operation }: Route,
  documentation: string,
  request: Request,
  response: Response,
): void {
  const { deprecation } = operation.field.extensions;
  if (deprecation !== undefined) {
    announceDeprecation(response, deprecation, {
      successor: request.baseUrl + successorOf(deprecation),
      documentation: `${documentation}#/animals/${operation.name}`,
    });
  }
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
