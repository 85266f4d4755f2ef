import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
} from 'graphql';
import { isJsonObject } from '@gateway/exact-json/json';
import type { NamedDeprecation } from '@gateway/pothos-plugins/deprecation';

const within = new WeakMap<GraphQLNamedType, readonly NamedDeprecation[]>();

/** The deprecated fields and enum values that a value of a type may have, at any depth: nearly always none. */
export function deprecationsWithin(type: GraphQLInputType): readonly NamedDeprecation[] {
  return within.getOrInsertComputed(getNamedType(type), (named) => {
    const types = new Set([named]);
    // A set's iteration comes to what is added meanwhile.
    const found = types.values().flatMap((each) => membersOf(each, types));
    return [...new Map(found.map((deprecation) => [deprecation.of, deprecation])).values()];
  });
}

/** @param types to which those of its fields are added */
function membersOf(type: GraphQLNamedType, types: Set<GraphQLNamedType>): NamedDeprecation[] {
  const members = isInputObjectType(type)
    ? Object.values(type.getFields())
    : isEnumType(type)
      ? type.getValues()
      : [];
  return members.flatMap((member) => {
    if ('type' in member) {
      types.add(getNamedType(member.type));
    }
    return member.extensions.deprecation ?? [];
  });
}

/** The deprecated fields and enum values that the value of a variable has, as it was sent. */
export function deprecationsGiven(
  value: unknown,
  type: GraphQLInputType,
  given: Set<NamedDeprecation> = new Set(),
): ReadonlySet<NamedDeprecation> {
  const named = getNamedType(type);
  if (deprecationsWithin(named).length === 0) {
    return given;
  }
  if (Array.isArray(value)) {
    value.forEach((item) => deprecationsGiven(item, named, given));
  } else if (isEnumType(named)) {
    const deprecation =
      typeof value === 'string' ? named.getValue(value)?.extensions.deprecation : undefined;
    addTo(given, deprecation);
  } else if (isInputObjectType(named) && isJsonObject(value)) {
    for (const field of Object.values(named.getFields())) {
      const member = value[field.name];
      if (member !== undefined) {
        addTo(given, field.extensions.deprecation);
        deprecationsGiven(member, field.type, given);
      }
    }
  }
  return given;
}

function addTo(given: Set<NamedDeprecation>, deprecation: NamedDeprecation | undefined): void {
  if (deprecation !== undefined) {
    given.add(deprecation);
  }
}
