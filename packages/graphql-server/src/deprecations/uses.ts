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
  type GraphQLInputType,
  type InlineFragmentNode,
  type VariableDefinitionNode,
} from 'graphql';
import type { NamedDeprecation } from '@gateway/pothos-plugins/deprecation';
import { deprecationOfType } from '@gateway/pothos-plugins/schema-deprecations';
import { memoizePerOperation, type ValidOperation } from '../execution/memoize-per-operation.ts';
import { deprecationsGiven, deprecationsWithin } from './input-deprecations.ts';

/** A place where an operation uses what is deprecated. */
export interface Use {
  readonly deprecation: NamedDeprecation;
  readonly node: ASTNode;
  /** Of a field of Query or Mutation: the key of its result. */
  readonly rootKey?: string | undefined;
}

type Values = Readonly<Record<string, unknown>>;

interface PossibleUse extends Use {
  /** Whether it is one, with these variables; always, by default. */
  readonly isUse?: ((variables: Values) => boolean) | undefined;
}

/** A variable whose value may have what is deprecated. */
interface OpenVariable {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly node: VariableDefinitionNode;
}

interface PossibleUses {
  readonly always: readonly Use[];
  /** Those that depend on variables: in nearly all schemas there are none. */
  readonly possible: readonly PossibleUse[];
  readonly variables: readonly OpenVariable[];
}

/** What an operation uses whatever its variables are, and what it may use. */
export const possibleUsesOf = memoizePerOperation((operation): PossibleUses => {
  const uses = usesInDocument(operation);
  return {
    always: uses.filter(({ isUse }) => isUse === undefined),
    possible: uses.filter(({ isUse }) => isUse !== undefined),
    variables: openVariables(operation),
  };
});

/** What an operation uses of what is deprecated, with its variables. */
export function usesOf(operation: ValidOperation): readonly Use[] {
  const { always, possible, variables } = possibleUsesOf(operation);
  if (possible.length === 0 && variables.length === 0) {
    return always;
  }
  const values = operation.variableValues ?? {};
  return [
    ...always,
    ...possible.filter(({ isUse }) => isUse?.(values)),
    ...variables.flatMap(({ name, type, node }) =>
      Array.from(deprecationsGiven(values[name], type), (deprecation) => ({ deprecation, node })),
    ),
  ];
}

function usesInDocument({ schema, document }: ValidOperation): PossibleUse[] {
  const typeInfo = new TypeInfo(schema);
  const roots = new Set<unknown>([schema.getQueryType(), schema.getMutationType()]);
  const presets = new Set(presetVariables(document));
  const uses: PossibleUse[] = [];
  /** The definition that the visit is in: its default counts where no value is given. */
  let definition: VariableDefinitionNode | undefined;

  function add(
    deprecation: NamedDeprecation | undefined,
    node: ASTNode,
    { rootKey, value }: { rootKey?: string | undefined; value?: ASTNode } = {},
  ): void {
    if (deprecation !== undefined) {
      const isUse = definition ? isMissing(definition) : isGiven(value);
      uses.push({ deprecation, node, rootKey, isUse });
    }
  }

  /** An input that a variable is given to is given if the variable is. */
  function isGiven(value: ASTNode | undefined): PossibleUse['isUse'] {
    const name = value?.kind === Kind.VARIABLE ? value.name.value : undefined;
    return name === undefined || presets.has(name)
      ? undefined
      : (variables) => variables[name] !== undefined;
  }

  const addCondition = (node: InlineFragmentNode | FragmentDefinitionNode): void => {
    const type = node.typeCondition && typeFromAST(schema, node.typeCondition);
    add(type && deprecationOfType(type), node);
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
        const key = node.alias?.value ?? node.name.value;
        const rootKey = roots.has(typeInfo.getParentType()) ? key : undefined;
        add(typeInfo.getFieldDef()?.extensions.deprecation, node, { rootKey });
      },
      InlineFragment: addCondition,
      FragmentDefinition: addCondition,
      Argument: (node) => {
        add(typeInfo.getArgument()?.extensions.deprecation, node, { value: node.value });
      },
      ObjectField: (node) => {
        const parent = getNamedType(typeInfo.getParentInputType());
        const field = isInputObjectType(parent) ? parent.getFields()[node.name.value] : undefined;
        add(field?.extensions.deprecation, node, { value: node.value });
      },
      EnumValue: (node) => {
        add(typeInfo.getEnumValue()?.extensions.deprecation, node);
      },
    }),
  );
  return uses;
}

function isMissing({ variable }: VariableDefinitionNode): PossibleUse['isUse'] {
  return (variables) => variables[variable.name.value] === undefined;
}

/** The names of the variables that have a default. */
function presetVariables({ definitions }: ValidOperation['document']): string[] {
  return variableDefinitionsIn({ definitions })
    .filter(({ defaultValue }) => defaultValue !== undefined)
    .map(({ variable }) => variable.name.value);
}

function openVariables({ schema, document }: ValidOperation): OpenVariable[] {
  return variableDefinitionsIn(document).flatMap((node) => {
    const type = typeFromAST(schema, node.type);
    return isInputType(type) && deprecationsWithin(type).length > 0
      ? { name: node.variable.name.value, type, node }
      : [];
  });
}

/** Those of the one operation of a document. */
function variableDefinitionsIn({
  definitions,
}: Pick<ValidOperation['document'], 'definitions'>): readonly VariableDefinitionNode[] {
  return definitions.flatMap((each) =>
    each.kind === Kind.OPERATION_DEFINITION ? (each.variableDefinitions ?? []) : [],
  );
}
