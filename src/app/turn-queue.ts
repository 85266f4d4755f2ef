/**
 * Has each that is queued taken in a turn of the event loop to come, and a few at most in one turn, so that others have
 * theirs.
 */
export function createTurnQueue<T>(
  take: (each: T) => void,
  maximumPerTurn: number,
): (each: T) => void {
  const queued: T[] = [];
  const takeSome = (): void => {
    queued.splice(0, maximumPerTurn).forEach(take);
    if (queued.length > 0) {
      setImmediate(takeSome);
    }
  };
  return (each) => {
    queued.push(each);
    if (queued.length === 1) {
      setImmediate(takeSome);
    }
  };
}
