import { reportsOwnReads } from '@store-gateway/ops';

/**
 * The context of an execution that several requests may share: that of the request which leads it, which notes each access to
 * what belongs to this request. Nothing is refused, because the result is right for that request in any case.
 *
 * @param services what is everyone's: members that are the same object or value in the context
 * @param note called with the name of a member, or what else was done
 */
export function sharedContext(
  context: object,
  services: object,
  note: (name: string) => void,
): object {
  const notedUnlessEveryones = (name: string | symbol): void => {
    const value: unknown = Object.hasOwn(services, name) ? Reflect.get(context, name) : undefined;
    const isEveryones = Object.hasOwn(services, name)
      ? value === Reflect.get(services, name) || reportsOwnReads(value)
      : // Libraries look for symbols of their own, which no context has unless somebody adds them.
        typeof name === 'symbol' && !Reflect.has(context, name);
    if (!isEveryones) {
      note(String(name));
    }
  };
  return new Proxy(context, {
    get(target, name) {
      notedUnlessEveryones(name);
      const value: unknown = Reflect.get(target, name);
      return value;
    },
    has(target, name) {
      notedUnlessEveryones(name);
      return Reflect.has(target, name);
    },
    getOwnPropertyDescriptor(target, name) {
      notedUnlessEveryones(name);
      return Reflect.getOwnPropertyDescriptor(target, name);
    },
    ownKeys(target) {
      note('all members');
      return Reflect.ownKeys(target);
    },
    // What is written may be the caller's, and is read as if it were everyone's.
    set(target, name, value) {
      note(String(name));
      return Reflect.set(target, name, value);
    },
    defineProperty(target, name, descriptor) {
      note(String(name));
      return Reflect.defineProperty(target, name, descriptor);
    },
    deleteProperty(target, name) {
      note(String(name));
      return Reflect.deleteProperty(target, name);
    },
  });
}
