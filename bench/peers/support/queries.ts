import type { PetStatus } from '../../generated/enums.ts';
import { prisma } from './prisma.ts';

const select = { id: true, name: true, categoryId: true, status: true } as const;
const orderBy = { id: 'asc' } as const;

/** The four columns of a page of animals, by Prisma. */
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

export interface NewPet {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: PetStatus;
}

export async function createPet(data: NewPet) {
  return prisma.pet.create({ select, data });
}
