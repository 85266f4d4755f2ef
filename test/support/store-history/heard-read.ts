import { covers, isInOrder, type Animal, type Read } from '../store-reads.ts';
import { isAsShown, isNotListed } from './claims.ts';
import type { Exchange, Recorder } from './recorder.ts';

/** Records what the answer to a read shows, and so what it leaves out. */
export function heardOfRead(
  { rows, isLearned, tell, fault }: Recorder,
  exchange: Exchange,
  read: Read,
  shown: readonly Animal[],
  lastId: number,
): void {
  if (!isInOrder(read, lastId, shown)) {
    fault(exchange, `was answered with ${JSON.stringify(shown)}, which is not what was asked for`);
  }
  for (const animal of shown) {
    if (isLearned) {
      rows.shown(animal, exchange.span);
    } else {
      rows.of(animal);
    }
  }
  const ids = new Set(shown.map(({ id }) => id));
  const status = 'id' in read ? undefined : read.status;
  const left = () =>
    rows.all().filter(({ id }) => !ids.has(id) && covers(read, { lastId, shown }, id));
  tell(exchange, {
    claims: () => [
      ...shown.flatMap((animal) => isAsShown(rows.of(animal), animal)),
      ...left().map((row) => isNotListed(row, status)),
    ],
    // Another status may be why it is left out.
    ...(isLearned && status === undefined && { absent: left }),
  });
}
