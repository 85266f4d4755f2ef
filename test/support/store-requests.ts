import { WHOLE_ANIMAL } from './animals.ts';
import type { Answer } from './ask.ts';

/** What a client wants from the store. Ids are the store's own, except in reads. */
type Wanted = { readonly does: 'read'; readonly read: Read } | Creation | Change | Removal;

/**
 * The values that a request writes to an animal; no two requests write the same values. A name begins with the status
 * that is sent with it.
 */
export interface Writes {
  readonly name?: string;
  readonly categoryId?: number;
}

/** The text that an entity tag stands for. */
export interface Representation {
  readonly tag: string;
  readonly text: string;
}

export interface Creation {
  readonly does: 'create';
  readonly writes: Required<Writes>;
}

export interface Change {
  readonly does: 'change';
  readonly id: number;
  readonly writes: Writes;
  /** The state that the animal must have, by its entity tag. */
  readonly expected?: Representation | undefined;
}

export interface Removal extends Omit<Change, 'does' | 'writes'> {
  readonly does: 'remove';
}

export interface Request {
  readonly wanted: Wanted;
  /** The method and the path. */
  readonly call: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Surface = 'REST' | 'GraphQL';

const LIST = '($ids: [ID!], $status: PetStatus, $limit: Int, $after: ID)';
const ARGUMENTS = '(ids: $ids, status: $status, limit: $limit, after: $after)';
const DOCUMENTS = {
  pets: `query ${LIST} { pets${ARGUMENTS} ${WHOLE_ANIMAL} }`,
  petsConnection: `query ${LIST} { petsConnection${ARGUMENTS} { nodes ${WHOLE_ANIMAL} } }`,
  pet: `query ($id: ID!) { pet(id: $id) ${WHOLE_ANIMAL} }`,
  create: `mutation ($input: NewPet!) { createPet(input: $input) ${WHOLE_ANIMAL} }`,
  change: `mutation ($id: ID!, $input: UpdatePetInput!) { updatePet(id: $id, input: $input) ${WHOLE_ANIMAL} }`,
  remove: `mutation ($id: ID!) { deletePet(id: $id) ${WHOLE_ANIMAL} }`,
} as const;

function graphql(document: keyof typeof DOCUMENTS, variables: object) {
  return { call: 'POST /graphql', body: { query: DOCUMENTS[document], variables } };
}

/** @param lastId the id from which the read's ids count */
export function requestFor(read: Read, lastId: number): Request {
  const request = 'id' in read ? animalRequest(read, lastId) : listRequest(read, lastId);
  return { wanted: { does: 'read', read }, ...request };
}

function animalRequest(read: AnimalRead, lastId: number) {
  const id = lastId + read.id;
  return read.by === 'pet' ? graphql('pet', { id }) : { call: animalCall('GET', id) };
}

function listRequest({ by, status, limit, after, ids }: ListRead, lastId: number) {
  const variables = {
    limit,
    ...(status !== undefined && { status }),
    ...(after !== undefined && { after: lastId + after }),
  };
  const listed = ids?.map((id) => lastId + id);
  if (by !== 'GET /v1/pets') {
    return graphql(by, { ...variables, ...(listed && { ids: listed }) });
  }
  const parameters = Object.entries({ ...variables, ...(listed && { id: listed.join() }) });
  return {
    call: `GET /v1/pets?${parameters.map(([name, value]) => `${name}=${value}`).join('&')}`,
  };
}

export function createRequest(by: Surface, writes: Required<Writes>): Request {
  const input = bodyOf(writes);
  const request =
    by === 'REST' ? { call: 'POST /v1/pets', body: input } : graphql('create', { input });
  return { wanted: { does: 'create', writes }, ...request };
}

/** @param expected only used with REST */
export function changeRequest(by: Surface, change: Omit<Change, 'does'>): Request {
  const { id, writes, expected } = change;
  const wanted = { does: 'change', ...change } as const;
  const input = bodyOf(writes);
  return by === 'GraphQL'
    ? { wanted, ...graphql('change', { id, input }) }
    : {
        wanted,
        call: animalCall('PATCH', id),
        body: input,
        headers: { 'Content-Type': 'application/merge-patch+json', ...ifMatch(expected) },
      };
}

/** @param expected only used with REST */
export function removeRequest(by: Surface, { id, expected }: Omit<Removal, 'does'>): Request {
  const wanted = { does: 'remove', id, expected } as const;
  return by === 'GraphQL'
    ? { wanted, ...graphql('remove', { id }) }
    : { wanted, call: animalCall('DELETE', id), headers: ifMatch(expected) };
}

export function animalCall(method: 'GET' | 'PATCH' | 'DELETE', id: number): string {
  return `${method} /v1/pets/${id}`;
}

export function withHeaders(request: Request, headers: Readonly<Record<string, string>>): Request {
  return { ...request, headers: { ...request.headers, ...headers } };
}

function ifMatch(expected: Representation | undefined): Record<string, string> {
  return expected === undefined ? {} : { 'If-Match': expected.tag };
}

/** A name begins with the status that is sent with it. */
function bodyOf({ name, categoryId }: Writes): object {
  return {
    ...(name !== undefined && { name, status: name.split(' ')[0] }),
    ...(categoryId !== undefined && { categoryId }),
  };
}

export type Status = 'available' | 'pending' | 'sold';

export interface Animal {
  readonly id: number;
  readonly name: string;
  readonly status: Status;
  readonly categoryId: number;
}

/** A client's request for a list. Its ids count from the last one before the schedule. */
export interface ListRead {
  readonly by: 'GET /v1/pets' | 'pets' | 'petsConnection';
  readonly status: Status | undefined;
  readonly limit: number;
  readonly after: number | undefined;
  readonly ids?: readonly number[] | undefined;
}

/** A client's request for one animal, whose id also counts from the last one before the schedule. */
export interface AnimalRead {
  readonly by: 'GET /v1/pets/:id' | 'pet';
  readonly id: number;
}

export type Read = ListRead | AnimalRead;

/** Returns the animals in a response of either API; none if it is a 404 or has no body. */
export function animalsIn({ text }: Pick<Answer, 'text'>): Animal[] {
  const animals: Animal[] = [];
  JSON.parse(text || 'null', (_key, value: unknown) => {
    if (isAnimal(value)) {
      animals.push({ ...value, id: Number(value.id), categoryId: Number(value.categoryId) });
    }
    return value;
  });
  return animals;
}

/**
 * Returns whether a response to the read says something about the animal with this id, for example by omitting it,
 * given what else it shows.
 */
export function covers(
  read: Read,
  { lastId, shown }: { readonly lastId: number; readonly shown: readonly Animal[] },
  id: number,
): boolean {
  if ('id' in read) {
    return id === lastId + read.id;
  }
  const isFull = shown.length >= read.limit;
  return (
    isListed(read, id - lastId) &&
    id > lastId + (read.after ?? 0) &&
    !(isFull && (shown.at(-1)?.id ?? 0) < id)
  );
}

function isListed({ ids }: ListRead, id: number): boolean {
  return ids === undefined || ids.includes(id);
}

/** Returns whether a response shows only what was requested, in the right order, and nothing from another client's read. */
export function isInOrder(read: Read, lastId: number, shown: readonly Animal[]): boolean {
  const ids = shown.map(({ id }) => id);
  const isAscending = ids.every((id, index) => id > (ids[index - 1] ?? lastId));
  if ('id' in read) {
    return ids.every((id) => id === lastId + read.id) && ids.length <= 1;
  }
  return (
    isAscending &&
    ids.length <= read.limit &&
    shown.every(
      (animal) =>
        animal.status === (read.status ?? animal.status) &&
        animal.id > lastId + (read.after ?? 0) &&
        isListed(read, animal.id - lastId) &&
        animal.name.startsWith(animal.status),
    )
  );
}

/** GraphQL ids are strings. */
function isAnimal(
  value: unknown,
): value is Omit<Animal, 'id' | 'categoryId'> & Record<'id' | 'categoryId', unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'id' in value &&
    'name' in value &&
    'categoryId' in value
  );
}
