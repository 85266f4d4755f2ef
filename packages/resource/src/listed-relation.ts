import { isListType, isNonNullType, type GraphQLField } from 'graphql';

declare module 'graphql' {
  // oxlint-disable-next-line typescript/no-unused-vars -- a merged declaration repeats the parameters
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** From Pothos: the column that an exposed field shows. */
    pothosExposedField?: string | undefined;
    /** From the Prisma plugin, as is `pothosPrismaSelect`. */
    pothosPrismaRelationField?: {
      readonly name: string;
      readonly type: string;
      readonly isList: boolean;
    };
    pothosPrismaSelect?:
      | object
      | ((args: object, context: object, nested: (query: unknown) => object) => unknown)
      | undefined;
  }
}

/** A field that lists the rows of a relation. */
interface ListedRelation {
  /** Its name in the Prisma model, and the model of its rows. */
  readonly relation: string;
  readonly target: string;
  /** What it was given to make Prisma's arguments with: those themselves, or what returns them. */
  readonly query: unknown;
}

/** The options of a field made by `t.relation`; undefined unless it is a relation to many. */
export function listedRelation({
  extensions,
  type,
}: GraphQLField<unknown, unknown>): ListedRelation | undefined {
  const { pothosPrismaRelationField: relation, pothosPrismaSelect: select } = extensions;
  if (relation?.isList !== true) {
    return undefined;
  }
  const isList = isListType(isNonNullType(type) ? type.ofType : type);
  let query: unknown = {};
  // A connection's query takes the arguments of a request.
  if (isList && typeof select === 'function') {
    select({}, {}, (given) => {
      query = given;
      return {};
    });
  }
  return { relation: relation.name, target: relation.type, query };
}

/** Whether it is a field of `t.relationCount`. */
export function countsRelations({ extensions }: GraphQLField<unknown, unknown>): boolean {
  const { pothosPrismaSelect: select } = extensions;
  return typeof select === 'object' && '_count' in select;
}
