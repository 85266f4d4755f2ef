import {
  getOperationAST,
  Kind,
  OperationTypeNode,
  visit,
  type FieldNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { memoizePerOperation, type ValidOperation } from './memoize-per-operation.ts';

/** A field of Mutation that an operation selects. */
interface MutationField {
  readonly name: string;
  /** In the result. */
  readonly key: string;
  /** The argument `id`. */
  readonly id: ValueNode | undefined;
}

/** Longer texts may be anything but an id. */
const MAX_ID_LENGTH = 64;

/** The fields of Mutation that an operation selects; none of a query. */
export const mutationFields = memoizePerOperation(
  ({ schema, document }): readonly MutationField[] => {
    const operation = getOperationAST(document);
    if (operation?.operation !== OperationTypeNode.MUTATION) {
      return [];
    }
    const known = schema.getMutationType()?.getFields() ?? {};
    const fields = new Map<string, MutationField>();
    const add = (selections: SelectionSetNode): void => {
      visit(selections, {
        Field: (field: FieldNode): false => {
          const { key, name, id } = mutationField(field);
          if (Object.hasOwn(known, name)) {
            fields.set(key, { key, name, id });
          }
          // Nothing below it is a mutation.
          return false;
        },
        FragmentSpread: ({ name }) => {
          for (const definition of document.definitions) {
            if (
              definition.kind === Kind.FRAGMENT_DEFINITION &&
              definition.name.value === name.value
            ) {
              add(definition.selectionSet);
            }
          }
        },
      });
    };
    add(operation.selectionSet);
    return [...fields.values()];
  },
);

function mutationField({
  alias,
  name: { value: name },
  arguments: given,
}: FieldNode): MutationField {
  const id = given?.find((argument) => argument.name.value === 'id');
  return { name, key: alias?.value ?? name, id: id?.value };
}

/** The id that a field was given. */
export function idsGiven(
  { id }: MutationField,
  { variableValues }: Pick<ValidOperation, 'variableValues'>,
): readonly string[] {
  const value = valueOf(id, variableValues);
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') {
    return [];
  }
  const text = String(value);
  return text.length > MAX_ID_LENGTH ? [] : [text];
}

/** Of a literal as it is written, to its last digit. */
function valueOf(
  node: ValueNode | undefined,
  variableValues: ValidOperation['variableValues'],
): unknown {
  switch (node?.kind) {
    case Kind.INT:
    case Kind.STRING:
      return node.value;
    case Kind.VARIABLE:
      return variableValues?.[node.name.value];
    default:
      return undefined;
  }
}
