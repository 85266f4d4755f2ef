/** What the rules of a client have to know of a method of Prisma's models. */
interface Method {
  readonly does: 'read' | 'write';
  /** Whether it is of one row by a unique key: of that row's relations the engine reads as many rows as `take` says. */
  readonly isOfOne?: true;
  /** What limits the rows of one that may have any number. */
  readonly limit?: 'take' | 'limit';
  /** Whether statements may answer it in the engine's place. */
  readonly isAnswered?: true;
  /** What makes the same write once under an idempotency key, and what notes it in the audit log. */
  readonly once?: string;
  readonly audited?: string;
}

/** All methods of Prisma's models, and those that statements add. What isn't here, a rule can't cover. */
const METHODS = {
  findUnique: { does: 'read', isOfOne: true, isAnswered: true },
  findUniqueOrThrow: { does: 'read', isOfOne: true, isAnswered: true },
  findFirst: { does: 'read' },
  findFirstOrThrow: { does: 'read' },
  findMany: { does: 'read', limit: 'take', isAnswered: true },
  count: { does: 'read' },
  aggregate: { does: 'read' },
  groupBy: { does: 'read', limit: 'take' },
  create: writeOfOne('create'),
  update: writeOfOne('update'),
  delete: writeOfOne('delete'),
  upsert: { does: 'write', isOfOne: true },
  createMany: { does: 'write' },
  createManyAndReturn: { does: 'write' },
  updateMany: { does: 'write' },
  updateManyAndReturn: { does: 'write', limit: 'limit' },
  deleteMany: { does: 'write' },
  createOnce: { does: 'write', audited: 'createOnce' },
  updateOnce: { does: 'write', audited: 'updateOnce' },
  deleteOnce: { does: 'write', audited: 'deleteOnce' },
} as const satisfies Readonly<Record<string, Method>>;

function writeOfOne<Name extends string>(name: Name) {
  const own = { once: `${name}Once`, audited: `${name}Audited` } as const;
  return { does: 'write', isOfOne: true, isAnswered: true, ...own } as const;
}

export type MethodName = keyof typeof METHODS;

const BY_NAME: ReadonlyMap<string, Method> = new Map(Object.entries(METHODS));

/** What is known of a method; undefined for one that may do anything. A method of a client's own is a read if its name says `find`. */
export function methodNamed(name: string): Method | undefined {
  return BY_NAME.get(name) ?? (name.startsWith('find') ? { does: 'read' } : undefined);
}

/** The methods that statements may answer. */
export const ANSWERED_METHODS = [...BY_NAME].flatMap(([name, { isAnswered }]) =>
  isAnswered === true ? [name] : [],
);

export type Arguments = Readonly<Record<string, unknown>>;

/** The members of an object that are set: Prisma ignores those that are undefined. Undefined for no plain object. */
export function membersOf(value: unknown): Arguments | undefined {
  if (!isPlainObject(value)) {
    return undefined;
  }
  for (const name in value) {
    if (value[name] === undefined) {
      return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
    }
  }
  return value;
}

/** Whether there are no other members than these. */
export function hasOnly(members: Arguments, names: ReadonlySet<string>): boolean {
  for (const name in members) {
    if (!names.has(name)) {
      return false;
    }
  }
  return true;
}

/** The one member that there is, if it has that name. */
export function onlyMember(value: unknown, name: string): unknown {
  const members = membersOf(value);
  return members !== undefined && Object.keys(members).length === 1 ? members[name] : undefined;
}

/** Objects that graphql-js makes of arguments have no prototype. */
export function isPlainObject(value: unknown): value is Arguments {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

const conditionsOfOne = new WeakMap<Arguments, Arguments>();

/** A copy of the arguments of a to-one relation with conditions beside it: Prisma has no `where` for a required relation. */
export function onlyIf(args: Arguments, conditions: Arguments): Arguments {
  const copy = { ...args };
  conditionsOfOne.set(copy, conditions);
  return copy;
}

/** The conditions beside what `onlyIf` has returned; none beside other arguments. */
export function conditionsBeside(args: Arguments): Arguments {
  return conditionsOfOne.get(args) ?? {};
}
