/** An animal, whoever gave it: ids are strings. */
export interface Animal {
  readonly id: string;
  readonly name: string;
  readonly categoryId: string;
  readonly status: string;
}

/**
 * The animals of a parsed answer, one or many; none is an empty list.
 *
 * @throws if it is anything else, errors among them
 */
export type ReadAnimals = (body: unknown) => Animal[];

/** Reads what a REST peer, or the gateway, answered. */
export const animalsOfRest: ReadAnimals = (body) => asList(body).map(asAnimal);

/** Reads what a GraphQL server answered to one field, whatever the field's name is. */
export const animalsOfGraphql: ReadAnimals = (body) =>
  asList(onlyMember(asObject(asObject(body)['data']))).map(asAnimal);

/** PostGraphile's mutations answer with a payload that has the animal. */
export const animalsOfPostgraphile: ReadAnimals = (body) => {
  const found = onlyMember(asObject(asObject(body)['data']));
  const hasPayload = !Array.isArray(found) && found !== null && 'pet' in asObject(found);
  return asList(hasPayload ? onlyMember(asObject(found)) : found).map(asAnimal);
};

function asList(found: unknown): unknown[] {
  if (Array.isArray(found)) {
    return found;
  }
  return found === null ? [] : [found];
}

function asAnimal(value: unknown): Animal {
  const { id, name, categoryId, status } = asObject(value);
  if (!isId(id) || !isId(categoryId) || typeof name !== 'string' || typeof status !== 'string') {
    throw new TypeError(`Not an animal: ${JSON.stringify(value)}`);
  }
  return { id: String(id), name, categoryId: String(categoryId), status };
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function onlyMember(value: Readonly<Record<string, unknown>>): unknown {
  const members = Object.values(value);
  if (members.length !== 1) {
    throw new TypeError(`Not the answer to one field: ${JSON.stringify(value)}`);
  }
  return members[0];
}

function asObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) {
    throw new TypeError(`Not an object: ${JSON.stringify(value)}`);
  }
  return { ...value };
}
