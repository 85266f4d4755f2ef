import { isJsonObject } from '@gateway/exact-json/json';
import type { Gateway } from './gateway.ts';
import { operations, type DocumentedOperation } from './openapi.ts';

/** An operation that adds something, and for each member of its body that refers to a resource, the operation that adds that. */
interface Create {
  readonly operation: DocumentedOperation;
  readonly references: ReadonlyMap<string, string>;
}

const creates: readonly Create[] = operations
  .filter(({ responses }) => responses.has(201))
  .map((operation) => ({ operation, references: new Map(referencesOf(operation)) }));

/** The members of an operation's body that refer to other resources, by the links of the document. */
function referencesOf({ id }: DocumentedOperation): (readonly [string, string])[] {
  return operations.flatMap((parent) =>
    (parent.responses.get(201)?.links.get(id) ?? []).map((member) => [member, parent.id] as const),
  );
}

/**
 * Adds the examples of all operations that add something, what others refer to first.
 *
 * @returns by operation, a body that refers to the last that was added
 */
export async function addExamples(
  { post }: Pick<Gateway, 'post'>,
  times: number,
): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
  const bodies = new Map<string, Record<string, unknown>>();
  const ids = new Map<string, unknown>();
  for (const { operation, references } of inOrder()) {
    const referring = Array.from(
      references,
      ([member, parent]) => [member, ids.get(parent)] as const,
    );
    const body = { ...operation.body?.example, ...Object.fromEntries(referring) };
    bodies.set(operation.id, body);
    for (let time = 0; time < times; time += 1) {
      const { json } = await post(operation.path, body);
      ids.set(operation.id, isJsonObject(json) ? json['id'] : undefined);
    }
  }
  return bodies;
}

/** What is referred to comes before what refers to it. */
function inOrder(): Create[] {
  const ordered = new Set<Create>();
  const add = (create: Create) => {
    for (const parent of create.references.values()) {
      creates
        .filter(({ operation: { id } }) => id === parent && id !== create.operation.id)
        .forEach(add);
    }
    ordered.add(create);
  };
  creates.forEach(add);
  return [...ordered];
}

/** The members of an operation's body that refer to other resources. */
export function referringMembers(id: string): string[] {
  const create = creates.find(({ operation }) => operation.id === id);
  return [...(create?.references.keys() ?? [])];
}
