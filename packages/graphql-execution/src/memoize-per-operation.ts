import {
  getOperationAST,
  separateOperations,
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';

/** What is executed: an operation of a valid document. */
export interface Executed {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
}

/**
 * Works out something of an operation, by a document that has that operation alone, the first time that
 * it is executed: documents are parsed once and executed often. Forgotten with the document.
 */
export function perOperation<Finding>(
  find: (document: DocumentNode, schema: GraphQLSchema) => Finding,
): (executed: Executed) => Finding {
  const known = new WeakMap<DocumentNode, Map<string, { readonly finding: Finding }>>();
  return ({ schema, document, operationName }) => {
    let ofDocument = known.get(document);
    if (ofDocument === undefined) {
      ofDocument = new Map();
      known.set(document, ofDocument);
    }
    // Without a name, a document that is executed has one operation.
    let entry = ofDocument.get(operationName ?? '');
    if (entry === undefined) {
      const name = getOperationAST(document, operationName)?.name?.value ?? '';
      entry = { finding: find(separateOperations(document)[name] ?? document, schema) };
      ofDocument.set(operationName ?? '', entry);
    }
    return entry.finding;
  };
}
