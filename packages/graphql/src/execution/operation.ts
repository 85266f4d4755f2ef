import {
  getOperationAST,
  separateOperations,
  type ASTNode,
  type ExecutionArgs,
  Kind,
  type DocumentNode,
  type FieldNode,
  type SelectionSetNode,
} from 'graphql';

/** An operation of a valid document, with its variables as they were sent. */
export type ValidOperation = Pick<
  ExecutionArgs,
  'schema' | 'document' | 'operationName' | 'variableValues'
>;

/**
 * Memoizes a result that depends only on the operation, because documents are parsed once and executed often. The result is
 * computed from a document that contains only that operation and its fragments.
 */
export function memoizePerOperation<Result>(
  compute: (operation: ValidOperation) => Result,
): (operation: ValidOperation) => Result {
  const results = new WeakMap<ASTNode, { readonly result: Result }>();
  return ({ schema, document, operationName }) => {
    const operation = getOperationAST(document, operationName);
    const known = results.get(operation ?? document);
    if (known !== undefined) {
      return known.result;
    }
    const isAlone = getOperationAST(document) !== null;
    const alone = isAlone ? document : separateOperations(document)[operation?.name?.value ?? ''];
    const result = compute({ schema, document: alone ?? document });
    results.set(operation ?? document, { result });
    return result;
  };
}

/** Returns the fields of a selection, with fragments replaced by their fields. */
export function* fieldsOf(
  { selections }: SelectionSetNode,
  document: DocumentNode,
  condition?: string,
): Generator<SelectedNode> {
  for (const selection of selections) {
    if (selection.kind === Kind.FIELD) {
      yield { node: selection, condition };
      continue;
    }
    const fragment =
      selection.kind === Kind.INLINE_FRAGMENT
        ? selection
        : document.definitions
            .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
            .find(({ name }) => name.value === selection.name.value);
    if (fragment !== undefined) {
      const type = fragment.typeCondition?.name.value ?? condition;
      yield* fieldsOf(fragment.selectionSet, document, type);
    }
  }
}

interface SelectedNode {
  readonly node: FieldNode;
  /** The name of the type in the innermost surrounding fragment's type condition, if there is one. */
  readonly condition: string | undefined;
}

/** Returns the key of a field's result: its alias, or its name. */
export function keyOf({ alias, name }: FieldNode): string {
  return alias?.value ?? name.value;
}
