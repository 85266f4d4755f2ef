import { hash } from 'node:crypto';
import {
  type DocumentNode,
  type FieldNode,
  getNamedType,
  getNullableType,
  getOperationAST,
  GraphQLError,
  type GraphQLField,
  GraphQLID,
  type GraphQLNamedType,
  type GraphQLSchema,
  isAbstractType,
  isListType,
  isObjectType,
  Kind,
  parse,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import {
  type LeafForm,
  type PlanRows,
  rowsPlan,
  scopesOfDocument,
} from '@store-gateway/graphql/execution';
import { inputsByVariable, type PlacedInput, type ResourceNames } from '@store-gateway/graphql';
import { isJsonObject, type JsonObject, memoizeLast, WrittenJson } from '@store-gateway/ops';
import {
  isIntegerId,
  isTextId,
  type Member,
  restNamesOf,
  selectedMembers,
  type Value,
} from './members.ts';

/** A valid GraphQL document with one operation on one field. Fields that throw NOT_FOUND may precede the field. */
export interface Operation {
  /** OpenAPI's operationId. */
  readonly name: string;
  /** The document to execute. It may also select the row version, which isn't part of the representation. */
  readonly document: DocumentNode;
  /** The field of Query or Mutation that the document selects, and the field's `key` in a result. */
  readonly field: GraphQLField<unknown, unknown>;
  readonly key: string;
  /** The message of the 404 response if the field, or a field before it, finds no row. */
  readonly notFound: string | undefined;
  /** The inputs that the variables are passed to. */
  readonly inputs: ReadonlyMap<string, PlacedInput>;
  /** The represented member: the field's value, or its connection's nodes. */
  readonly resource: Member;
  readonly type: GraphQLNamedType;
  readonly isPaged: boolean;
  /** Whether the document selects the total number of items in the list. */
  readonly isCounted: boolean;
  /** Whether the representation depends only on the columns of a row. */
  readonly showsRowAlone: boolean;
  /** Whether the first response to a write may be stored, and replayed for retries. */
  readonly isKept: boolean;
  /** Writes a result's resource as JSON. */
  readonly represent: (resource: object) => Representation;
  /** Returns the plan for writing the document's rows, if there is one. */
  readonly planRows: PlanRows;
}

const REST_FORM: LeafForm = {
  quotesIds: ({ extensions }) => isTextId(extensions),
  writerOf: (field) => writerOf({ field, members: [] }),
};

/**
 * Parses and validates a route's document.
 *
 * @param hasEntityTag whether the representation has an entity tag, for which the document also selects the row version
 * @throws Error if the document isn't valid for the schema, so that the service fails to start
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

/** Prepares the operation of a document. The document must be valid, except that it may declare unused variables. */
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

/**
 * Whether a member, or a member below it, may depend on the caller. Such a member may be hidden from the caller by the time of a
 * retry.
 */
function dependsOnCaller({ field, members }: Member): boolean {
  return (
    field.extensions.shared === false ||
    isAbstractType(getNamedType(field.type)) ||
    members.some(dependsOnCaller)
  );
}

/** The key of the row version. Names that begin with two underscores are reserved, so no field has this name. */
const ALIAS = '__version';

/**
 * Adds the row version to the selection of a document's field, unless the field lists rows, the document selects the version
 * already, or the version needs a scope that the document doesn't need. Only the entity tag uses the version; the representation
 * has the members of the original document.
 *
 * @returns the document and the key of the version in the field's value; the key is undefined if the version isn't selected
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

/** A resource as REST represents it. */
interface Representation {
  /** The body, as JSON. */
  readonly body: string;
  /** Returns the entity tag, which is computed on the first call. */
  readonly etag: () => string;
}

/**
 * Returns a function that writes a result as JSON, with ids as exact integers. A result that several callers share is written
 * once.
 *
 * @param versionKey the key of the row version in the result, if it has one
 */
function createRepresent(
  resource: Member,
  versionKey?: string,
): (resource: object) => Representation {
  const write = writerOf(resource);
  const tagOf = entityTagsOf(resource, versionKey);
  return memoizeLast((value: object) => {
    const body = write(value);
    let etag: string | undefined;
    return { body, etag: () => (etag ??= tagOf(value, body)) };
  });
}

/** Writes a value of a result as JSON. */
type Write = (value: unknown) => string;

/** Matches an integer in JSON's syntax. */
const INTEGER = /^-?(?:0|[1-9]\d*)$/;

/** Returns a function that writes values of a member's type, or lists of such values. */
function writerOf({ field, members }: Pick<Member, 'field' | 'members'>): Write {
  if (members.length > 0) {
    return listWriter(objectWriter(members));
  }
  const type = getNamedType(field.type);
  if (isIntegerId(type, field.extensions)) {
    return listWriter(writeId);
  }
  if (type.name === GraphQLID.name) {
    return listWriter(JSON.stringify);
  }
  const restNames = restNamesOf(type);
  if (restNames !== undefined) {
    return listWriter((value) => JSON.stringify(restNames.get(String(value)) ?? value));
  }
  return JSON.stringify;
}

function listWriter(write: Write): Write {
  const writeAny: Write = (value) => {
    if (!Array.isArray(value)) {
      return value instanceof WrittenJson ? value.text : write(value);
    }
    let text = '[';
    for (let index = 0; index < value.length; index += 1) {
      text += index === 0 ? writeAny(value[index]) : `,${writeAny(value[index])}`;
    }
    return `${text}]`;
  };
  return writeAny;
}

/**
 * Returns a function that writes an object member by member. The alternative, removing the quotes around ids from
 * JSON.stringify's text, would take 50 % longer.
 */
function objectWriter(members: readonly Member[]): Write {
  // A field that is selected twice occurs once in the result, with both selections merged.
  const merged = new Map<string, Member>();
  for (const member of members) {
    const others = merged.get(member.key)?.members ?? [];
    merged.set(member.key, { ...member, members: [...others, ...member.members] });
  }
  const parts = [...merged.values()].map((member) => ({
    name: `"${member.key}":`,
    key: member.key,
    write: writerOf(member),
  }));
  return (object) => {
    if (!isJsonObject(object)) {
      return JSON.stringify(object);
    }
    let text = '{';
    for (const { name, key, write } of parts) {
      const value = object[key];
      // A directive may have excluded the member.
      if (value !== undefined) {
        text += (text.length > 1 ? ',' : '') + name + write(value);
      }
    }
    return `${text}}`;
  };
}

function writeId(id: unknown): string {
  return typeof id === 'string' && INTEGER.test(id) ? id : JSON.stringify(id);
}

/** Computes the strong entity tag of a result (RFC 9110, 8.8.3) from the result and its JSON. */
type EntityTagOf = (result: object, body: string) => string;

/**
 * Returns a function that computes entity tags. A tag consists of the row version, if there is one, and a hash of the body. If
 * the body depends only on the row, the body's hash is replaced by that of its members' names, which is computed only once.
 *
 * @param versionKey the key of the row version in the result
 */
function entityTagsOf(resource: Member, versionKey: string | undefined): EntityTagOf {
  if (versionKey === undefined) {
    return (_result, body) => `"${hashOf(body)}"`;
  }
  const isOfRow = showsRowAlone(resource);
  const ofNames = hashOf(
    JSON.stringify(resource.members.map(({ key, field }) => [key, field.name])),
  );
  return (result, body) => {
    const version = isJsonObject(result) ? result[versionKey] : undefined;
    return `"${encodeURI(String(version))}-${isOfRow ? ofNames : hashOf(body)}"`;
  };
}

/** Matches a row version and a base64 hash. Compressing proxies make the tag weak, or append a suffix such as `-gzip`. */
const OF_ROW = /^(?:W\/)?"(?<version>.*)-[A-Za-z\d+/]{27}=(?:-{1,2}\w+)?"$/;

/** Returns the row version in an entity tag; undefined if the tag isn't a row's. */
export function versionIn(tag: string): string | undefined {
  const { version } = OF_ROW.exec(tag)?.groups ?? {};
  try {
    return version === undefined ? undefined : decodeURI(version);
  } catch {
    // The tag is from a different service.
    return undefined;
  }
}

/** Whether a representation depends only on the columns of its row. */
function showsRowAlone(resource: Member): boolean {
  return resource.members.every(isColumn);
}

/**
 * Whether a member is a column that Pothos exposes without a resolver. A different plugin's resolver may hide the column from
 * some callers.
 */
function isColumn({ field, members }: Member): boolean {
  return (
    members.length === 0 && field.resolve === undefined && 'pothosExposedField' in field.extensions
  );
}

function hashOf(text: string): string {
  return hash('sha1', text, 'base64');
}

/** The part of an operation that determines its OpenAPI tag. */
type TaggedOperation = Pick<Operation, 'type'>;

/** Returns the singular noun for an operation's resource, for use in sentences. */
export function nounOf(operation: TaggedOperation): string {
  return resourceOf(operation).noun ?? operation.type.name.toLowerCase();
}

/** Returns the name of an operation's tag: the plural noun for its resource. */
export function tagNameOf(operation: TaggedOperation): string {
  const { nouns, plural } = resourceOf(operation);
  return nouns ?? plural;
}

/** Returns the Tag Objects of operations. */
export function tagsOf(operations: readonly TaggedOperation[]): JsonObject[] {
  return Array.from(Map.groupBy(operations, tagNameOf), ([name, [operation]]) => ({
    name,
    description: (operation && resourceOf(operation).about) ?? `The ${name}.`,
  }));
}

function resourceOf({ type }: TaggedOperation): ResourceNames {
  const resource = isObjectType(type) ? type.extensions.resource : undefined;
  return resource ?? { plural: type.name };
}
