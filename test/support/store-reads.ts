import type { Answer } from './ask.ts';

export type Status = 'available' | 'pending' | 'sold';

export interface Animal {
  readonly id: number;
  readonly name: string;
  readonly status: Status;
  readonly categoryId: number;
}

/** A list, as a client asks for it. Ids count from the last one before the schedule. */
export interface ListRead {
  readonly by: 'GET /v1/pets' | 'pets' | 'petsConnection';
  readonly status: Status | undefined;
  readonly limit: number;
  readonly after: number | undefined;
  readonly ids?: readonly number[] | undefined;
}

/** One animal, likewise. */
export interface AnimalRead {
  readonly by: 'GET /v1/pets/:id' | 'pet';
  readonly id: number;
}

export type Read = ListRead | AnimalRead;

/** The animals in an answer of either surface; none if it is 404, or has no body. */
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

/** Whether an answer to the read tells of the animal with this id, be it by leaving it out, given what else it shows. */
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
        isListed(read, animal.id - lastId) &&
        animal.name.startsWith(animal.status),
    )
  );
}

/** GraphQL's ids are texts. */
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
