import {
  getNamedType,
  isInputObjectType,
  isInputType,
  Kind,
  typeFromAST,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type ASTNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  type InlineFragmentNode,
  type VariableDefinitionNode,
  isEnumType,
  type GraphQLArgument,
  type GraphQLEnumValue,
  type GraphQLInputField,
} from 'graphql';
import { keyOf, memoizePerOperation, type ValidOperation } from '../execution/operation.ts';
import { isJsonObject } from '@store-gateway/ops';

/** Defines which elements of a schema have a mark. */
interface Marks<Mark> {
  readonly ofField: (
    field: GraphQLField<unknown, unknown>,
    parent: GraphQLCompositeType,
    schema: GraphQLSchema,
  ) => Mark | undefined;
  readonly ofGiven: (given: Given) => Mark | undefined;
  /** The mark of a fragment's type condition. */
  readonly ofCondition?: (type: GraphQLNamedType) => Mark | undefined;
}

/** A place where an operation uses a marked element. */
export interface Use<Mark> {
  readonly mark: Mark;
  readonly node: ASTNode;
  /** For a field of Query or Mutation: its key in the result. */
  readonly rootKey?: string | undefined;
}

/** Values by variable name. */
type Values = Readonly<Record<string, unknown>>;

/** A use that depends on an operation's variables. */
interface PossibleUse<Mark> {
  /** The marks that may be used. */
  readonly marks: readonly Mark[];
  /** Returns what the operation uses with these variables. */
  readonly usesWith: (variables: Values) => readonly Use<Mark>[];
}

/** The marked elements that an operation uses, and those that it may use. */
export interface PossibleUses<Mark> {
  /** The elements that it uses whatever its variables are. */
  readonly always: readonly Use<Mark>[];
  /** The elements that it may use, depending on its variables. In nearly all schemas, there are none. */
  readonly possible: readonly PossibleUse<Mark>[];
}

/** Finds the marked elements that operations use. */
interface Uses<Mark> {
  /** Returns the elements that an operation uses whatever its variables are, and those that it may use. */
  readonly possibleUsesOf: (operation: ValidOperation) => PossibleUses<Mark>;
  /** Returns the elements that an operation uses, given its variables. */
  readonly usesOf: (operation: ValidOperation) => readonly Use<Mark>[];
}

export function createUses<Mark>(marks: Marks<Mark>): Uses<Mark> {
  const { within, given } = createInputMarks(marks.ofGiven);
  const possibleUsesOf = memoizePerOperation((operation): PossibleUses<Mark> => {
    const { always, possible } = usesInDocument(operation, marks);
    const ofVariables = variableDefinitionsIn(operation.document).flatMap((node) => {
      const type = typeFromAST(operation.schema, node.type);
      const inside = isInputType(type) ? within(type) : [];
      const usesWith: PossibleUse<Mark>['usesWith'] = (variables) =>
        isInputType(type)
          ? Array.from(given(valueOf(node, variables), type), (mark) => ({ mark, node }))
          : [];
      return inside.length === 0 ? [] : { marks: inside, usesWith };
    });
    return { always, possible: [...possible, ...ofVariables] };
  });
  return {
    possibleUsesOf,
    usesOf: (operation) => {
      const { always, possible } = possibleUsesOf(operation);
      if (possible.length === 0) {
        return always;
      }
      const values = operation.variableValues ?? {};
      return [...always, ...possible.flatMap(({ usesWith }) => usesWith(values))];
    },
  };
}

/** A field that an operation selects, and its parent type. */
export interface SelectedField {
  readonly parent: GraphQLCompositeType;
  readonly field: GraphQLField<unknown, unknown>;
}

/** Returns the fields that an operation selects, including those in fragments. */
export const selectedFields: Uses<SelectedField>['usesOf'] = createUses<SelectedField>({
  ofField: (field, parent) => ({ field, parent }),
  ofGiven: () => undefined,
}).usesOf;

/** Returns the uses in an operation's document, except those in the values of its variables. */
function usesInDocument<Mark>(
  { schema, document }: ValidOperation,
  marks: Marks<Mark>,
): PossibleUses<Mark> {
  const typeInfo = new TypeInfo(schema);
  const roots = new Set<unknown>([schema.getQueryType(), schema.getMutationType()]);
  const definitions = variableDefinitionsIn(document);
  const always: Use<Mark>[] = [];
  const possible: PossibleUse<Mark>[] = [];
  /** The variable definition that is being visited. Its default is used if the variable has no value. */
  let definition: VariableDefinitionNode | undefined;

  function add(
    mark: Mark | undefined,
    node: ASTNode,
    { rootKey, value }: { rootKey?: string | undefined; value?: ASTNode } = {},
  ): void {
    if (mark === undefined) {
      return;
    }
    const use = { mark, node, rootKey };
    // If a variable has no default, the input is used only if the variable has a value.
    const name = value?.kind === Kind.VARIABLE ? value.name.value : undefined;
    const variable = definitions.find((each) => each.variable.name.value === name);
    const depends = definition ?? (variable?.defaultValue === undefined ? variable : undefined);
    if (depends === undefined) {
      always.push(use);
    } else {
      const isOfDefault = definition !== undefined;
      const usesWith: PossibleUse<Mark>['usesWith'] = (variables) =>
        (valueOf(depends, variables) === undefined) === isOfDefault ? [use] : [];
      possible.push({ marks: [mark], usesWith });
    }
  }

  const markOf = (given: Given | null | undefined) => (given ? marks.ofGiven(given) : undefined);

  const addCondition = (node: InlineFragmentNode | FragmentDefinitionNode): void => {
    const type = node.typeCondition && typeFromAST(schema, node.typeCondition);
    add(type && marks.ofCondition?.(type), node);
  };
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      VariableDefinition: {
        enter: (node) => {
          definition = node;
        },
        leave: () => {
          definition = undefined;
        },
      },
      Field: (node) => {
        const [parent, field] = [typeInfo.getParentType(), typeInfo.getFieldDef()];
        const rootKey = roots.has(parent) ? keyOf(node) : undefined;
        add(parent && field ? marks.ofField(field, parent, schema) : undefined, node, { rootKey });
      },
      InlineFragment: addCondition,
      FragmentDefinition: addCondition,
      Argument: (node) => {
        add(markOf(typeInfo.getArgument()), node, { value: node.value });
      },
      ObjectField: (node) => {
        const parent = getNamedType(typeInfo.getParentInputType());
        const field = isInputObjectType(parent) ? parent.getFields()[node.name.value] : undefined;
        add(markOf(field), node, { value: node.value });
      },
      EnumValue: (node) => {
        add(markOf(typeInfo.getEnumValue()), node);
      },
    }),
  );
  return { always, possible };
}

/** Returns the value of a variable. Inherited properties, such as `constructor`, don't count. */
function valueOf({ variable }: VariableDefinitionNode, variables: Values): unknown {
  const name = variable.name.value;
  return Object.hasOwn(variables, name) ? variables[name] : undefined;
}

/** Returns the variables of a document's only operation. */
function variableDefinitionsIn({
  definitions,
}: Pick<ValidOperation['document'], 'definitions'>): readonly VariableDefinitionNode[] {
  return definitions.flatMap((each) =>
    each.kind === Kind.OPERATION_DEFINITION ? (each.variableDefinitions ?? []) : [],
  );
}

/** An input that a request uses: an argument, an input field, or an enum value. */
type Given = GraphQLArgument | GraphQLInputField | GraphQLEnumValue;

/** Finds the marks that values of a type may have, and the marks that a value has. */
interface InputMarks<Mark> {
  /**
   * Returns the marks of fields and enum values that a value of a type may have, at any depth. In nearly all schemas, there are
   * none.
   */
  readonly within: (type: GraphQLInputType) => readonly Mark[];
  /** Returns the marks in a variable's value, as it was sent. */
  readonly given: (value: unknown, type: GraphQLInputType) => ReadonlySet<Mark>;
}

function createInputMarks<Mark>(markOf: (given: Given) => Mark | undefined): InputMarks<Mark> {
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
    // Iterating over a set includes elements that are added during the iteration.
    return [...new Set(types.values().flatMap((each) => membersOf(each, types)))];
  }

  /** @param types receives the types of the type's fields */
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
