import { isJsonObject } from '@store-gateway/ops';
import type { Gateway } from './gateway.ts';
import { operations, type DocumentedOperation } from './openapi.ts';

/** An operation with a body, and for each member of it that refers to a resource, the operation that adds that. */
interface Write {
  readonly operation: DocumentedOperation;
  readonly references: ReadonlyMap<string, string>;
}

const writes: readonly Write[] = operations
  .filter(({ body }) => body !== undefined)
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
 * @returns by operation that takes one, a body that refers to the last that was added
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
    for (let time = 0; time < times && operation.responses.has(201); time += 1) {
      const { json } = await post(operation.path, body);
      ids.set(operation.id, isJsonObject(json) ? json['id'] : undefined);
    }
  }
  return bodies;
}

/** What is referred to comes before what refers to it. */
function inOrder(): Write[] {
  const ordered = new Set<Write>();
  const add = (write: Write) => {
    for (const parent of write.references.values()) {
      writes
        .filter(({ operation: { id } }) => id === parent && id !== write.operation.id)
        .forEach(add);
    }
    ordered.add(write);
  };
  writes.forEach(add);
  return [...ordered];
}

/** The members of an operation's body that refer to other resources. */
export function referringMembers(id: string): string[] {
  const write = writes.find(({ operation }) => operation.id === id);
  return [...(write?.references.keys() ?? [])];
}
