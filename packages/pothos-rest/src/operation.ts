import {
  getNamedType,
  getOperationAST,
  GraphQLError,
  parse,
  validate,
  type DocumentNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import type { Input } from '@gateway/pothos-plugins/input-faults';
import { inputsByVariable } from '@gateway/pothos-plugins/variable-inputs';
import { selectedMembers, type Member } from './members.ts';
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
  /** What is told of the field: what it gives or, if that is a page of a connection, the page's nodes. */
  readonly resource: Member;
  readonly type: GraphQLNamedType;
  readonly isPaged: boolean;
  readonly represent: (resource: object) => Representation;
}

/** @throws if the document doesn't fit the schema, so that it stops the start and not a request */
export function prepareOperation(schema: GraphQLSchema, source: string): Operation {
  const document = parse(source);
  const [error] = validate(schema, document);
  if (error instanceof GraphQLError) {
    throw new Error(`A REST route's document does not fit the schema: ${error.message}`, {
      cause: error,
    });
  }
  const definition = getOperationAST(document);
  const root = definition && schema.getRootType(definition.operation);
  const [selected, ...others] = root
    ? selectedMembers(document, root, definition.selectionSet)
    : [];
  const name = definition?.name?.value;
  if (name === undefined || selected === undefined || others.length > 0) {
    throw new Error("A REST route's document is one named operation on one field");
  }
  const [nodes, pageInfo] = ['nodes', 'pageInfo'].map((wanted) =>
    selected.members.find(({ key }) => key === wanted),
  );
  const isPaged = nodes !== undefined && pageInfo !== undefined;
  const resource = isPaged ? nodes : selected;
  return {
    name,
    document,
    field: selected.field,
    inputs: inputsByVariable(schema, document),
    resource,
    type: getNamedType(resource.field.type),
    isPaged,
    represent: createRepresent(resource),
  };
}
