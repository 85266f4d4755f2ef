import {
  getNamedType,
  GraphQLError,
  GraphQLID,
  parse,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
} from 'graphql';
import { schema } from '../schema/index.ts';

/** A GraphQL document that is known to fit the schema, and what its answer looks like in JSON. */
export interface Operation {
  readonly document: DocumentNode;
  /** Response keys whose values are IDs: integers in REST's JSON. */
  readonly idKeys: ReadonlySet<string>;
}

/**
 * Prepares a route's document when the module loads, so that one which doesn't fit the schema stops the
 * start and not a request.
 */
export function prepareOperation(source: string): Operation {
  const document = parse(source);
  const [error] = validate(schema, document);
  if (error instanceof GraphQLError) {
    throw new Error(`A REST route's document does not fit the schema: ${error.message}`, {
      cause: error,
    });
  }
  return { document, idKeys: idKeysOf(document) };
}

function idKeysOf(document: DocumentNode): Set<string> {
  const keys = new Set<string>();
  const typeInfo = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Field: ({ name, alias }) => {
        if (getNamedType(typeInfo.getType()) === GraphQLID) {
          keys.add((alias ?? name).value);
        }
      },
    }),
  );
  return keys;
}
