import { getOperationAST, separateOperations, type ASTNode, type ExecutionArgs } from 'graphql';

/** An operation of a valid document, with its variables as they were sent. */
export type ValidOperation = Pick<
  ExecutionArgs,
  'schema' | 'document' | 'operationName' | 'variableValues'
>;

/**
 * Memoizes what follows from an operation alone, since documents are parsed once and executed often. It is computed from a
 * document that holds only that operation and its fragments.
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
