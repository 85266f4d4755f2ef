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
