import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  type GraphQLArgument,
  type GraphQLEnumValue,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
} from 'graphql';
import { isJsonObject } from '@store-gateway/ops';

/** What a request gives: an argument, a field of an input, or a value of an enum. */
export type Given = GraphQLArgument | GraphQLInputField | GraphQLEnumValue;

/** Finds the marks of what the values of types may have, and have. */
export interface InputMarks<Mark> {
  /** The marks of fields and enum values that a value of a type may have, at any depth: nearly always none. */
  readonly within: (type: GraphQLInputType) => readonly Mark[];
  /** Those that the value of a variable has, as it was sent. */
  readonly given: (value: unknown, type: GraphQLInputType) => ReadonlySet<Mark>;
}

export function createInputMarks<Mark>(
  markOf: (given: Given) => Mark | undefined,
): InputMarks<Mark> {
  const known = new WeakMap<GraphQLNamedType, readonly Mark[]>();

  const within: InputMarks<Mark>['within'] = (type) => {
    const named = getNamedType(type);
    const before = known.get(named);
    if (before !== undefined) {
      return before;
    }
    const marks = marksWithin(named);
    known.set(named, marks);
    return marks;
  };

  function marksWithin(named: GraphQLNamedType): readonly Mark[] {
    const types = new Set([named]);
    // A set's iteration comes to what is added meanwhile.
    return [...new Set(types.values().flatMap((each) => membersOf(each, types)))];
  }

  /** @param types to which those of its fields are added */
  function membersOf(type: GraphQLNamedType, types: Set<GraphQLNamedType>): Mark[] {
    const members = isInputObjectType(type)
      ? Object.values(type.getFields())
      : isEnumType(type)
        ? type.getValues()
        : [];
    return members.flatMap((member) => {
      if ('type' in member) {
        types.add(getNamedType(member.type));
      }
      return markOf(member) ?? [];
    });
  }

  function addGiven(value: unknown, type: GraphQLInputType, found: Set<Mark>): Set<Mark> {
    const named = getNamedType(type);
    if (within(named).length === 0) {
      return found;
    }
    if (Array.isArray(value)) {
      value.forEach((item) => addGiven(item, named, found));
    } else if (isEnumType(named)) {
      const member = typeof value === 'string' ? named.getValue(value) : undefined;
      addTo(found, member ?? undefined);
    } else if (isInputObjectType(named) && isJsonObject(value)) {
      for (const field of Object.values(named.getFields())) {
        const member = value[field.name];
        if (member !== undefined) {
          addTo(found, field);
          addGiven(member, field.type, found);
        }
      }
    }
    return found;
  }

  function addTo(found: Set<Mark>, member: Given | undefined): void {
    const mark = member && markOf(member);
    if (mark !== undefined) {
      found.add(mark);
    }
  }

  return { within, given: (value, type) => addGiven(value, type, new Set()) };
}
