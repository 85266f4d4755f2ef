import type { Answer } from './ask.ts';

export type Status = 'available' | 'pending' | 'sold';

export interface Animal {
  readonly id: number;
  readonly name: string;
  readonly status: Status;
}

/** A list, as a client asks for it. Ids count from the last one before the schedule. */
export interface ListRead {
  readonly by: 'GET /v1/pets' | 'pets' | 'petsConnection';
  readonly status: Status | undefined;
  readonly limit: number;
  readonly after: number | undefined;
}

/** One animal, likewise. */
export interface AnimalRead {
  readonly by: 'GET /v1/pets/:id' | 'pet';
  readonly id: number;
}

export type Read = ListRead | AnimalRead;

export interface Request {
  /** The method and the path. */
  readonly call: string;
  readonly body?: object;
}

const FIELDS = '{ id name status }';
const LIST = '($status: PetStatus, $limit: Int, $after: ID)';
const ARGUMENTS = '(status: $status, limit: $limit, after: $after)';
const DOCUMENTS = {
  pets: `query ${LIST} { pets${ARGUMENTS} ${FIELDS} }`,
  petsConnection: `query ${LIST} { petsConnection${ARGUMENTS} { nodes ${FIELDS} } }`,
  pet: `query ($id: ID!) { pet(id: $id) ${FIELDS} }`,
} as const;

export function requestFor(read: Read, lastId: number): Request {
  return 'id' in read ? requestForAnimal(read, lastId) : requestForList(read, lastId);
}

function requestForAnimal(read: AnimalRead, lastId: number): Request {
  const id = lastId + read.id;
  return read.by === 'pet'
    ? { call: 'POST /graphql', body: { query: DOCUMENTS.pet, variables: { id } } }
    : { call: `GET /v1/pets/${id}` };
}

function requestForList({ by, status, limit, after }: ListRead, lastId: number): Request {
  const variables = {
    limit,
    ...(status !== undefined && { status }),
    ...(after !== undefined && { after: lastId + after }),
  };
  if (by !== 'GET /v1/pets') {
    return { call: 'POST /graphql', body: { query: DOCUMENTS[by], variables } };
  }
  const parameters = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return { call: `GET /v1/pets?${parameters.join('&')}` };
}

/** The animals in an answer of either surface, to a read or a create; none if it is 404. */
export function animalsIn({ text }: Pick<Answer, 'text'>): Animal[] {
  const animals: Animal[] = [];
  JSON.parse(text, (_key, value: unknown) => {
    if (isAnimal(value)) {
      animals.push({ ...value, id: Number(value.id) });
    }
    return value;
  });
  return animals;
}

/** Whether an answer to the read has no right to leave the animal out, given what else it shows. */
export function covers(
  read: Read,
  { lastId, shown }: { readonly lastId: number; readonly shown: readonly Animal[] },
  { id, status }: Animal,
): boolean {
  if ('id' in read) {
    return id === lastId + read.id;
  }
  const isFull = shown.length >= read.limit;
  return (
    (read.status ?? status) === status &&
    id > lastId + (read.after ?? 0) &&
    !(isFull && (shown.at(-1)?.id ?? 0) < id)
  );
}

/** Whether an answer shows only what was asked for, in the right order: nothing of another's read. */
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
        animal.name.startsWith(animal.status),
    )
  );
}

/** GraphQL's ids are texts. */
function isAnimal(value: unknown): value is Omit<Animal, 'id'> & { readonly id: unknown } {
  return typeof value === 'object' && value !== null && 'id' in value && 'name' in value;
}
