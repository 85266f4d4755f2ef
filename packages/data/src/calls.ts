/** The properties of a Prisma model's method that a client's rules depend on. */
interface Method {
  readonly does: 'read' | 'write';
  /**
   * Whether it handles one row by a unique key. If so, the engine reads only as many of its related rows as their `take` allows.
   */
  readonly isOfOne?: true;
  /** The argument that limits the number of rows, for a method that may handle any number. */
  readonly limit?: 'take' | 'limit';
  /** Whether statements may handle it instead of the engine. */
  readonly isAnswered?: true;
  /** The method that makes the same write under an idempotency key, and the method that records it in the audit log. */
  readonly once?: string;
  readonly audited?: string;
}

/**
 * All methods of Prisma's models, and those that `batchedModels` adds for writes under idempotency keys. Rules reject every
 * other method.
 */
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

/**
 * Returns a method's properties; undefined for a method whose effects are unknown. A client's own method counts as a read if
 * its name begins with `find`.
 */
export function methodNamed(name: string): Method | undefined {
  return BY_NAME.get(name) ?? (name.startsWith('find') ? { does: 'read' } : undefined);
}

/** The methods that statements may handle. */
export const ANSWERED_METHODS = [...BY_NAME].flatMap(([name, { isAnswered }]) =>
  isAnswered === true ? [name] : [],
);

export type Arguments = Readonly<Record<string, unknown>>;

/** Returns an object without its undefined members, which Prisma ignores; undefined if it isn't a plain object. */
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

/** Whether all members of an object have one of these names. */
export function hasOnly(members: Arguments, names: ReadonlySet<string>): boolean {
  for (const name in members) {
    if (!names.has(name)) {
      return false;
    }
  }
  return true;
}

/** Returns an object's only member, if that member has the given name. */
export function onlyMember(value: unknown, name: string): unknown {
  const members = membersOf(value);
  return members !== undefined && Object.keys(members).length === 1 ? members[name] : undefined;
}

/** Whether a value is a plain object, or an object without a prototype, like the arguments that graphql-js creates. */
export function isPlainObject(value: unknown): value is Arguments {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

const conditionsOfOne = new WeakMap<Arguments, Arguments>();

/**
 * Returns a copy of a to-one relation's arguments, with conditions attached to the copy, because Prisma has no `where` for a
 * required relation.
 */
export function onlyIf(args: Arguments, conditions: Arguments): Arguments {
  const copy = { ...args };
  conditionsOfOne.set(copy, conditions);
  return copy;
}

/** Returns the conditions that `onlyIf` has attached; none for other arguments. */
export function conditionsBeside(args: Arguments): Arguments {
  return conditionsOfOne.get(args) ?? {};
}
