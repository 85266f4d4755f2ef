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
import { selectVersion } from './versioned.ts';

/** A valid GraphQL document of one operation on one field. */
export interface Operation {
  /** OpenAPI's operationId. */
  readonly name: string;
  /** It may select a version that isn't represented. */
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

/**
 * @param hasEntityTag whether its representation has one, which needs the version of what is represented
 * @throws if the document doesn't fit the schema: at start, not at a request
 */
export function prepareOperation(
  schema: GraphQLSchema,
  source: string,
  hasEntityTag: boolean,
): Operation {
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
  const versioned = hasEntityTag ? selectVersion(schema, document, selected) : { document };
  return {
    name,
    document: versioned.document,
    field: selected.field,
    inputs: inputsByVariable(schema, document),
    resource,
    type: getNamedType(resource.field.type),
    isPaged,
    represent: createRepresent(resource, versioned.versionKey),
  };
}
