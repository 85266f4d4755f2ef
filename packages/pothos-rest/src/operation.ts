import {
  getNamedType,
  getOperationAST,
  GraphQLError,
  GraphQLID,
  parse,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLField,
} from 'graphql';
import { schema } from '../../../src/schema/index.ts';
import type { Input } from '@gateway/pothos-plugins/input-faults';
import { inputsByVariable } from '@gateway/pothos-plugins/variable-inputs';
import { createRepresent, type Representation } from './representation.ts';

/** A GraphQL document of one operation on one field that is known to fit the schema. */
export interface Operation {
  /** The contract's name of it. */
  readonly name: string;
  readonly document: DocumentNode;
  /** The field of Query or Mutation that it is about. */
  readonly field: GraphQLField<unknown, unknown>;
  /** The argument that each of its variables is given to. */
  readonly inputs: ReadonlyMap<string, Input>;
  /** Response keys whose values are IDs: integers in REST's JSON. */
  readonly idKeys: ReadonlySet<string>;
  readonly represent: (resource: object) => Representation;
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
  const name = getOperationAST(document)?.name?.value;
  const { rootFields, idKeys } = fieldsOf(document);
  const [field] = rootFields;
  if (name === undefined || field === undefined || rootFields.length > 1) {
    throw new Error("A REST route's document is one named operation on one field");
  }
  return {
    name,
    document,
    field,
    inputs: inputsByVariable(schema, document),
    idKeys,
    represent: createRepresent(idKeys),
  };
}

function fieldsOf(document: DocumentNode) {
  const rootFields: GraphQLField<unknown, unknown>[] = [];
  const idKeys = new Set<string>();
  const typeInfo = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Field: ({ name, alias }) => {
        const field = typeInfo.getFieldDef();
        const parent = typeInfo.getParentType();
        if (
          field != null &&
          (parent === schema.getQueryType() || parent === schema.getMutationType())
        ) {
          rootFields.push(field);
        }
        if (getNamedType(typeInfo.getType()) === GraphQLID) {
          idKeys.add((alias ?? name).value);
        }
      },
    }),
  );
  return { rootFields, idKeys };
}
