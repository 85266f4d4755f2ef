import type { PetStatus } from '../../generated/enums.ts';
import { Prisma } from '../../generated/client.ts';
import { prisma } from './prisma.ts';

const select = { id: true, name: true, categoryId: true, status: true } as const;
const orderBy = { id: 'asc' } as const;

/** Reads the four columns of a page of animals with Prisma. */
export async function listPets(
  status: PetStatus | undefined,
  limit: number,
  after: bigint | undefined,
) {
  return prisma.pet.findMany({
    select,
    where: {
      ...(status !== undefined && { status }),
      ...(after !== undefined && { id: { gt: after } }),
    },
    orderBy,
    take: limit,
  });
}

export async function getPet(id: bigint) {
  return prisma.pet.findUnique({ select, where: { id } });
}

export async function listPetsByIds(ids: readonly bigint[]) {
  return prisma.pet.findMany({ select, where: { id: { in: [...ids] } }, orderBy });
}

export interface NewPet {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: PetStatus;
}

export async function createPet(data: NewPet) {
  return prisma.pet.create({ select, data });
}

export type PetChanges = Partial<NewPet>;

/** Resolves to null if there is no such animal. */
export async function updatePet(id: bigint, data: PetChanges) {
  return orNull(prisma.pet.update({ select, where: { id }, data }));
}

/** Resolves to null if there is no such animal. */
export async function deletePet(id: bigint) {
  return orNull(prisma.pet.delete({ select: { id: true }, where: { id } }));
}

async function orNull<T>(changed: Promise<T>): Promise<T | null> {
  try {
    return await changed;
  } catch (error) {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2025') {
      return null;
    }
    throw error;
  }
}
