import { AsyncLocalStorage } from 'node:async_hooks';

/** Called for each read of data that belongs to one request. */
type Note = (name: string) => void;

// oxlint-disable-next-line typescript/unbound-method -- called with `this`
const { getStore } = AsyncLocalStorage.prototype;

const watched = new AsyncLocalStorage<Note>();

const exempt = new WeakSet<object>([watched]);

/** Reads the current value of a storage without reporting the read, for uses such as logging, on which no result depends. */
export function peekStore<Store>(storage: AsyncLocalStorage<Store>): Store | undefined {
  return getStore.call<AsyncLocalStorage<Store>, [], Store | undefined>(storage);
}

/** Exempts the AsyncLocalStorages among an object's members from reporting, because no result depends on them. */
export function exemptStoragesOf(owner: object): void {
  Object.values(owner)
    .filter((member) => member instanceof AsyncLocalStorage)
    .forEach((storage) => exempt.add(storage));
}

/**
 * Runs work whose result several requests may share, and reports each AsyncLocalStorage that it reads, however late, because the
 * stored data belongs to one request. A storage that the work itself sets is reported, too, because it can't be distinguished
 * from one that the request set.
 */
export function watchOwnReads<Result>(note: Note, work: () => Result): Result {
  return watched.run(note, work);
}

/** Reports that the current work depends on one request, if the work is watched. */
export function recordOwnRead(name: string): void {
  peekStore(watched)?.(name);
}

const reporting = new WeakSet();

/** Marks a request-specific value that calls `recordOwnRead` itself whenever a result depends on the request. */
export function reportingOwnReads<Member extends object>(member: Member): Member {
  reporting.add(member);
  return member;
}

/** Whether a value was marked by `reportingOwnReads`. */
export function reportsOwnReads(member: unknown): boolean {
  return member instanceof Object && reporting.has(member);
}

// The only global that is patched. Any library may create a storage, and there is no list of them, so only the prototype sees all
// reads. Therefore, data that a store keeps in a storage for a request, such as its own tenant filter, is never shared.
Object.defineProperty(AsyncLocalStorage.prototype, 'getStore', {
  ...Object.getOwnPropertyDescriptor(AsyncLocalStorage.prototype, 'getStore'),
  value: function getStoreObserved(this: AsyncLocalStorage<unknown>) {
    const note = peekStore(watched);
    if (note !== undefined && !exempt.has(this)) {
      note(this.name || 'AsyncLocalStorage');
    }
    return peekStore(this);
  },
});
