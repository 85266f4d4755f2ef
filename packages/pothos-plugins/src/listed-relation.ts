import { isListType, isNonNullType, type GraphQLField } from 'graphql';

/** A field that lists the rows of a relation. */
export interface ListedRelation {
  /** Its name in the Prisma model, and the model of its rows. */
  readonly relation: string;
  readonly target: string;
  /** What it was given to make Prisma's arguments with: those themselves, or what returns them. */
  readonly query: unknown;
}

/** What `t.relation` was told of a field; undefined for one of anything else than a relation to many. */
export function listedRelation({
  extensions,
  type,
}: GraphQLField<unknown, unknown>): ListedRelation | undefined {
  const { pothosPrismaRelationField: relation, pothosPrismaSelect: select } = extensions;
  if (!isRelationToMany(relation)) {
    return undefined;
  }
  const isList = isListType(isNonNullType(type) ? type.ofType : type);
  let query: unknown = {};
  // A connection's query takes the arguments of a request.
  if (isList && typeof select === 'function') {
    const capture = (given: unknown): object => {
      query = given;
      return {};
    };
    Reflect.apply(select, undefined, [{}, {}, capture]);
  }
  return {
    relation: relation.name,
    target: relation.type,
    query,
  };
}

interface PrismaRelation {
  readonly name: string;
  readonly type: string;
}

function isRelationToMany(field: unknown): field is PrismaRelation {
  return (
    field instanceof Object &&
    'name' in field &&
    typeof field.name === 'string' &&
    'type' in field &&
    typeof field.type === 'string' &&
    'isList' in field &&
    field.isList === true
  );
}

/** Whether it is a field of `t.relationCount`. */
export function countsRelations({ extensions }: GraphQLField<unknown, unknown>): boolean {
  const { pothosPrismaSelect: select } = extensions;
  return typeof select === 'object' && select !== null && '_count' in select;
}
