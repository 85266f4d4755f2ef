import type { DatabaseMachine } from './database-machine.ts';
import { switchOver } from './patroni-api.ts';

/** What may befall the primary, so that another machine becomes it. */
export interface Fault {
  readonly what: string;
  /** @param others all other machines of the cluster */
  readonly cause: (primary: DatabaseMachine, others: readonly DatabaseMachine[]) => Promise<void>;
  /**
   * Whether lists may show animals that are never acknowledged, and then not any more: the gateway cancels creates that
   * wait for a standby, and PostgreSQL shows what they have added until it is demoted (docs/failover.md).
   */
  readonly showsUnacknowledged?: boolean;
  /** What somebody or something does afterwards; Patroni does the rest. */
  readonly repair?: (old: DatabaseMachine) => Promise<void>;
}

export const FAULTS: readonly Fault[] = [
  {
    what: 'its PostgreSQL is killed',
    cause: (primary) => primary.killPostgres(),
  },
  {
    what: 'its Patroni is killed, and PostgreSQL goes on',
    cause: (primary) => primary.patroni().kill(),
    repair: (old) => old.startPatroni(),
  },
  {
    what: 'its Patroni hangs, and PostgreSQL goes on',
    cause: (primary) => primary.patroni().freeze(),
    repair: (old) => old.patroni().thaw(),
  },
  {
    what: 'the network drops all that it sends and is sent',
    cause: (primary) => primary.cut(),
    repair: (old) => old.reconnect(),
  },
  {
    what: 'the network drops what it sends to the other two, but not to the gateways',
    cause: (primary, others) => primary.cutFrom(others.map(({ address }) => address)),
    repair: (old) => old.reconnect(),
    showsUnacknowledged: true,
  },
  {
    what: 'somebody switches over',
    cause: switchOver,
  },
];
