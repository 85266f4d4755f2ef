import { AsyncLocalStorage } from 'node:async_hooks';

/** Called for each read of what belongs to one request. */
type Note = (name: string) => void;

// oxlint-disable-next-line typescript/unbound-method -- called with `this`
const { getStore } = AsyncLocalStorage.prototype;

const watched = new AsyncLocalStorage<Note>();

const exempt = new WeakSet<object>([watched]);

/** The store of the current request, read without notice: for what no result depends on, such as a log. */
export function storeUnnoticed<Store>(storage: AsyncLocalStorage<Store>): Store | undefined {
  return getStore.call<AsyncLocalStorage<Store>, [], Store | undefined>(storage);
}

/** Reads of the storages among an object's members are never noted: no result depends on them. */
export function exemptStoragesOf(owner: object): void {
  Object.values(owner)
    .filter((member) => member instanceof AsyncLocalStorage)
    .forEach((storage) => exempt.add(storage));
}

/**
 * Runs work that others may share, and notes each AsyncLocalStorage that it reads, however late: what a request keeps there
 * is its own. A storage that work sets for itself is noted, too, because it looks like one of the request.
 */
export function watchOwnReads<Result>(note: Note, work: () => Result): Result {
  return watched.run(note, work);
}

/** Tells that what is done now depends on one request, if anything is watched. */
export function noteOwnRead(name: string): void {
  storeUnnoticed(watched)?.(name);
}

const reporting = new WeakSet();

/** Marks what belongs to one request, and tells by `noteOwnRead` when something depends on that. */
export function reportingOwnReads<Member extends object>(member: Member): Member {
  reporting.add(member);
  return member;
}

/** Whether a value was marked by `reportingOwnReads`. */
export function reportsOwnReads(member: unknown): boolean {
  return member instanceof Object && reporting.has(member);
}

// The only global that is patched. Any library may create a storage, and nobody lists them: the one place that all reads pass is
// the prototype. That proves that what a store keeps there for a request, such as its own tenant filter, is shared with nobody.
Object.defineProperty(AsyncLocalStorage.prototype, 'getStore', {
  ...Object.getOwnPropertyDescriptor(AsyncLocalStorage.prototype, 'getStore'),
  value: function getStoreNoticed(this: AsyncLocalStorage<unknown>) {
    const note = storeUnnoticed(watched);
    if (note !== undefined && !exempt.has(this)) {
      note(this.name || 'AsyncLocalStorage');
    }
    return storeUnnoticed(this);
  },
});
