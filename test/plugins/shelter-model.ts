import type { PothosPrismaDatamodel } from '@pothos/plugin-prisma';
import { field } from '../../packages/resource/test/datamodel-field.ts';

export interface Animal {
  readonly id: bigint;
  readonly name: string;
  readonly owner: string;
}

/** A model as Prisma's generator for Pothos would tell it. */
export interface AnimalModel {
  Name: 'Animal';
  Shape: Animal;
  Include: never;
  Select: object;
  OrderBy: object;
  WhereUnique: object;
  Where: object;
  Create: object;
  Update: object;
  RelationName: never;
  ListRelations: never;
  Relations: object;
}

/** Of a builder for it. */
export interface ShelterTypes<Context extends object> {
  Context: Context;
  PrismaTypes: { Animal: AnimalModel };
  Scalars: { ID: { Input: string; Output: string | bigint } };
  DefaultFieldNullability: false;
  AuthScopes: { keeper: boolean };
}

const datamodel: PothosPrismaDatamodel['datamodel'] = {
  models: {
    Animal: {
      fields: [
        { ...field, type: 'BigInt', name: 'id', isUnique: true, isId: true },
        { ...field, type: 'String', name: 'name' },
        { ...field, type: 'String', name: 'owner' },
      ],
      primaryKey: null,
      uniqueIndexes: [],
    },
  },
};

/** The options of a builder for it, which reads from nothing. */
export const prisma = { client: { $connect: () => Promise.resolve() }, dmmf: { datamodel } };

interface Query {
  readonly where: { readonly id?: bigint | { readonly gt?: bigint; readonly lt?: bigint } };
  readonly take?: number;
}

/** Animals of several owners, in place of a database. */
export function createAnimals(owners: readonly string[]) {
  const rows: readonly Animal[] = [...owners, ...owners].map((owner, index) => ({
    id: BigInt(index + 1),
    name: `of ${owner}`,
    owner,
  }));

  /** @param owner of whose animals; without one, all */
  return async function find({ where, take }: Query, owner?: string): Promise<Animal[]> {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    const { id } = where;
    return rows
      .filter((row) => owner === undefined || row.owner === owner)
      .filter((row) =>
        typeof id === 'bigint'
          ? row.id === id
          : row.id > (id?.gt ?? 0n) && row.id < (id?.lt ?? 1_000_000n),
      )
      .slice(0, take);
  };
}

export type FindAnimals = ReturnType<typeof createAnimals>;
