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
import type { Input } from '@gateway/pothos-plugins/input';
import { inputsByVariable } from '@gateway/pothos-plugins/variable-inputs';
import { selectedMembers, type Member } from './members.ts';
import { createRepresent, type Representation } from './representation.ts';

/** A valid GraphQL document of one operation on one field. */
export interface Operation {
  /** OpenAPI's operationId. */
  readonly name: string;
  readonly document: DocumentNode;
  /** The field of Query or Mutation that it selects. */
  readonly field: GraphQLField<unknown, unknown>;
  /** The argument that each of its variables is given for. */
  readonly inputs: ReadonlyMap<string, Input>;
  /** What is represented: the field's value, or the nodes of its connection. */
  readonly resource: Member;
  readonly type: GraphQLNamedType;
  readonly isPaged: boolean;
  readonly represent: (resource: object) => Representation;
}

/** @throws if the document doesn't fit the schema: at start, not at a request */
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
