import {
  getNamedType,
  getNullableType,
  getOperationAST,
  GraphQLError,
  isListType,
  isObjectType,
  Kind,
  parse,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import {
  rowsPlan,
  scopesOfDocument,
  type LeafForm,
  type PlanRows,
} from '@store-gateway/graphql/execution';
import { inputsByVariable, type PlacedInput } from '@store-gateway/graphql';
import { showsRowAlone } from './entity-tag.ts';
import { dependsOnCaller } from './first-response.ts';
import { isTextId, selectedMembers, type Member, type Value } from './members.ts';
import { createRepresent, writerOf, type Representation } from './representation.ts';

/** A valid GraphQL document with one operation on one field. Fields that throw NOT_FOUND may precede it. */
export interface Operation {
  /** OpenAPI's operationId. */
  readonly name: string;
  /** The document that is executed. It may also select the row version, which isn't represented. */
  readonly document: DocumentNode;
  /** The field of Query or Mutation that the document selects, and (`key`) its key in a result. */
  readonly field: GraphQLField<unknown, unknown>;
  readonly key: string;
  /** The message of the 404 if the field, or one before it, finds nothing. */
  readonly notFound: string | undefined;
  /** The input that each variable is passed to. */
  readonly inputs: ReadonlyMap<string, PlacedInput>;
  /** The represented member: the field's value, or the nodes of its connection. */
  readonly resource: Member;
  readonly type: GraphQLNamedType;
  readonly isPaged: boolean;
  /** Whether it selects the total number of items in the list. */
  readonly isCounted: boolean;
  /** Whether its representation depends only on the columns of a row. */
  readonly showsRowAlone: boolean;
  /** Whether the first response to a write may be stored, and replayed for retries. */
  readonly isKept: boolean;
  /** Writes the resource of a result as JSON. */
  readonly represent: (resource: object) => Representation;
  /** Returns the plan for writing its document's rows, if there is one. */
  readonly planRows: PlanRows;
}

const REST_FORM: LeafForm = {
  quotesIds: ({ extensions }) => isTextId(extensions),
  writerOf: (field) => writerOf({ field, members: [] }),
};

/**
 * Parses and validates a route's document.
 *
 * @param hasEntityTag whether its representation has an entity tag, for which the document also selects the row version
 * @throws if the document doesn't fit the schema, so that this fails at startup rather than at a request
 */
export function prepareOperation(
  schema: GraphQLSchema,
  source: string,
  hasEntityTag: boolean,
): Operation {
  const document = parse(source);
  const [error] = validate(schema, document);
  if (error instanceof GraphQLError) {
    throw new Error(`A REST route's document is not valid for the schema: ${error.message}`, {
      cause: error,
    });
  }
  return operationOf(schema, document, hasEntityTag);
}

/** Prepares the operation of a document that is valid, except that it may declare variables it doesn't use. */
export function operationOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  hasEntityTag: boolean,
): Operation {
  const definition = getOperationAST(document);
  const root = definition && schema.getRootType(definition.operation);
  const fields = root ? selectedMembers(document, root, definition.selectionSet) : [];
  const selected = fields.at(-1);
  const parents = fields.slice(0, -1).map(({ field }) => field.extensions.notFound);
  const name = definition?.name?.value;
  const isOneRead = root === schema.getQueryType() && !parents.includes(undefined);
  if (name === undefined || selected === undefined || (parents.length > 0 && !isOneRead)) {
    throw new Error(
      "A REST route's document must be one named operation that selects one field; in a query, fields that throw NOT_FOUND may precede it",
    );
  }
  const [nodes, pageInfo, totalCount] = ['nodes', 'pageInfo', 'totalCount'].map((wanted) =>
    selected.members.find(({ key }) => key === wanted),
  );
  const isPaged = nodes !== undefined && pageInfo !== undefined;
  const resource = isPaged ? nodes : selected;
  const isOfRow = showsRowAlone(resource);
  const versioned = hasEntityTag ? selectVersion(schema, document, selected) : { document };
  const plan = rowsPlan({ schema, document: versioned.document }, REST_FORM);
  return {
    name,
    document: versioned.document,
    field: selected.field,
    key: selected.key,
    notFound: selected.field.extensions.notFound ?? parents[0],
    inputs: inputsByVariable(schema, document),
    resource,
    type: getNamedType(resource.field.type),
    isPaged,
    isCounted: isPaged && totalCount !== undefined,
    showsRowAlone: isOfRow,
    isKept: !isOfRow && !dependsOnCaller(selected),
    represent: createRepresent(resource, versioned.versionKey),
    planRows: () => plan,
  };
}

/** Names that begin with two underscores are reserved, so no field has this name. */
const ALIAS = '__version';

/**
 * Adds the row version to the selection of a document's field, unless the field lists rows, the document selects the version
 * already, or the version needs a scope that the document doesn't need. Only the entity tag uses the version: the
 * representation has the members of the original document.
 *
 * @returns also the key of the version in the field's value; undefined if the version isn't selected
 */
function selectVersion(
  schema: GraphQLSchema,
  document: DocumentNode,
  { field, members }: Member<GraphQLField<unknown, unknown>>,
): { readonly document: DocumentNode; readonly versionKey?: string } {
  if (isListType(getNullableType(field.type))) {
    return { document };
  }
  const selected = members.find((member) => isVersion(member.field));
  if (selected !== undefined) {
    return { document, versionKey: selected.key };
  }
  const version = versionField(getNamedType(field.type));
  const { scopes = [] } = version?.extensions ?? {};
  const needed = scopesOfDocument({ schema, document });
  if (version === undefined || !scopes.every((scope) => needed.has(scope))) {
    return { document };
  }
  const typeInfo = new TypeInfo(schema);
  const add = (node: FieldNode): FieldNode | undefined =>
    typeInfo.getFieldDef() === field ? withSelected(node, version.name) : undefined;
  return {
    document: visit(document, visitWithTypeInfo(typeInfo, { Field: { leave: add } })),
    versionKey: ALIAS,
  };
}

function isVersion({ extensions }: Pick<Value, 'extensions'>): boolean {
  return extensions.isVersion === true;
}

function versionField(type: GraphQLNamedType): GraphQLField<unknown, unknown> | undefined {
  return isObjectType(type) ? Object.values(type.getFields()).find(isVersion) : undefined;
}

function withSelected(node: FieldNode, name: string): FieldNode {
  const added: FieldNode = {
    kind: Kind.FIELD,
    alias: { kind: Kind.NAME, value: ALIAS },
    name: { kind: Kind.NAME, value: name },
  };
  const selections = [...(node.selectionSet?.selections ?? []), added];
  return { ...node, selectionSet: { kind: Kind.SELECTION_SET, selections } };
}
