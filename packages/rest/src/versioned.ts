import {
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import { scopesOfDocument } from '@store-gateway/graphql/execution';
import type { Member, Value } from './members.ts';

/** No field's name begins so. */
const ALIAS = '__version';

interface Versioned {
  readonly document: DocumentNode;
  /** Where the version is in the result of the document's field; undefined if its type has none. */
  readonly versionKey?: string;
}

/**
 * A document of one field that also selects the version of the row, unless it lists rows, does already, or needs no
 * scope that the version needs. Nobody sees it but the entity tag:
 * a representation has the members of the document as it was.
 */
export function selectVersion(
  schema: GraphQLSchema,
  document: DocumentNode,
  { field, members }: Member<GraphQLField<unknown, unknown>>,
): Versioned {
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
