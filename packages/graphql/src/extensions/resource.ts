import { isObjectType, type GraphQLNamedType } from 'graphql';
import type { ResourceNames } from './extensions.ts';

/** The noun for one of a type, in sentences. */
export function nounIn(type: GraphQLNamedType): string {
  const names: ResourceNames | undefined = isObjectType(type)
    ? type.extensions.resource
    : undefined;
  return names?.noun ?? type.name.toLowerCase();
}

/** "order" becomes "an order". */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
