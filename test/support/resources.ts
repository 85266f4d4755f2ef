import { isJsonObject } from '@store-gateway/ops';
import { object, type Contract, type DocumentedOperation } from './openapi.ts';

/** What is listed, added and got at one address. */
export interface Resource {
  readonly plural: string;
  readonly list: DocumentedOperation;
  readonly create: DocumentedOperation;
  readonly get: DocumentedOperation;
  /** The members of a new one that refer to another resource, by the links of the document. */
  readonly references: readonly { readonly member: string; readonly plural: string }[];
}

/** The resources of a contract; what others refer to comes before them. */
export function resourcesOf({ operations }: Contract): readonly Resource[] {
  const unordered = operations
    .filter(({ responses }) => responses.has(201))
    .map((create) => ({
      plural: pluralOf(create),
      create,
      list: found(operations, ({ method, path }) => method === 'GET' && path === create.path),
      get: found(
        operations,
        ({ method, path }) => method === 'GET' && path.startsWith(`${create.path}/{`),
      ),
      references: operations.flatMap((parent) =>
        (parent.responses.get(201)?.links.get(create.id) ?? []).map((member) => ({
          member,
          plural: pluralOf(parent),
        })),
      ),
    }));
  const ordered: Resource[] = [];
  while (ordered.length < unordered.length) {
    const known = new Set(ordered.map(({ plural }) => plural));
    const ready = unordered.filter(
      ({ plural, references }) =>
        !known.has(plural) && references.every((reference) => known.has(reference.plural)),
    );
    if (ready.length === 0) {
      throw new Error('the resources refer to each other in a circle');
    }
    ordered.push(...ready);
  }
  return ordered;
}

/**
 * A body that adds one of a resource, like none that another number makes.
 *
 * @param idOf the id of the one that it refers to, by the plural
 */
export function newBody(
  { create: { body }, references }: Resource,
  number: number,
  idOf: (plural: string) => unknown,
): Record<string, unknown> {
  const distinct = Object.fromEntries(
    Object.entries(body?.example ?? {}).map(([member, example]) => {
      const { type, format, enum: values, minLength = 1 } = memberSchema(body?.schema, member);
      const isText = type === 'string' && format === undefined && values === undefined;
      const text = String(number).padStart(Number(minLength), '0');
      return [member, isText ? text : example];
    }),
  );
  const referring = references.map(({ member, plural }) => [member, idOf(plural)] as const);
  return { ...distinct, ...Object.fromEntries(referring) };
}

/** What is required of a new one. */
export function requiredMembers({ create: { body } }: Resource): string[] {
  return [body?.schema['required'] ?? []].flat().map(String);
}

function memberSchema(schema: Record<string, unknown> = {}, member: string) {
  const ofMember = object(schema['properties'])[member];
  return isJsonObject(ofMember) ? ofMember : {};
}

function pluralOf({ path }: DocumentedOperation): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function found(
  operations: readonly DocumentedOperation[],
  fits: (operation: DocumentedOperation) => boolean,
): DocumentedOperation {
  const operation = operations.find(fits);
  if (operation === undefined) {
    throw new Error('a resource that is added can neither be listed nor got');
  }
  return operation;
}
