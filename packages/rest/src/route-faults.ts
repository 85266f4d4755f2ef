import {
  getNamedType,
  getNullableType,
  isEnumType,
  isRequiredInputField,
  isScalarType,
  isSpecifiedScalarType,
  type GraphQLType,
} from 'graphql';
import { inputMembers, type Member } from './members.ts';
import type { Variables } from './variables.ts';

/** What of a route is checked. */
interface CheckedRoute {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly variables: Variables;
  readonly operation: { readonly resource: Member };
}

/** @throws if a route can't be what its method says, or two would be one */
export function checkRoutes(routes: readonly CheckedRoute[]): void {
  const seen = new Map<string, CheckedRoute>();
  for (const route of routes) {
    const fault = faultOf(route);
    if (fault !== undefined) {
      throw new Error(`The REST route ${nameOf(route)} ${fault}`);
    }
    const shape = shapeOf(route.path);
    const other = seen.get(shape) ?? route;
    if (other.path !== route.path) {
      throw new Error(
        `The REST routes ${nameOf(other)} and ${nameOf(route)} must name their parameters alike`,
      );
    }
    const address = `${route.method} ${shape}`;
    if (seen.has(address)) {
      throw new Error(`There are two REST routes ${nameOf(route)}`);
    }
    seen.set(shape, route).set(address, route);
  }
}

function faultOf({
  method,
  status,
  variables: { body },
  operation: { resource },
}: CheckedRoute): string | undefined {
  if ((method === 'get' || method === 'delete') && body !== undefined) {
    return `has no body for $${body[0]}`;
  }
  if ((method === 'put' || method === 'patch') && body === undefined) {
    return 'needs a variable of an input type, which is its body';
  }
  const change = getNamedType(body?.[1].type)?.extensions;
  if (method === 'put' && change?.['changedModel'] !== undefined && change['isWhole'] !== true) {
    return `can't leave what isn't sent as it is: its input type is that of a PATCH, or needs replaces: true`;
  }
  if (method === 'get' && status !== 200) {
    return `reads, so that its status is 200 and not ${status}`;
  }
  if (status !== 204 && isPlain(resource.field.type)) {
    return `represents no object or array: let ${resource.field.name} return a type, or the status be 204`;
  }
  const filledIn =
    method === 'patch'
      ? inputMembers(body?.[1].type).find(
          ({ field }) => isRequiredInputField(field) || field.defaultValue !== undefined,
        )
      : undefined;
  return (
    filledIn && `can't leave ${filledIn.key} as it is: its input type requires it, or has a default`
  );
}

/** Whether its values are texts, numbers or booleans, and never objects as those of a scalar for any JSON may be. */
function isPlain(type: GraphQLType): boolean {
  const plain = getNullableType(type);
  return isEnumType(plain) || (isScalarType(plain) && isSpecifiedScalarType(plain));
}

/** The path whatever its parameters are called. */
function shapeOf(path: string): string {
  return path.replaceAll(/:\w+/g, ':');
}

function nameOf({ method, path }: CheckedRoute): string {
  return `${method.toUpperCase()} ${path}`;
}
