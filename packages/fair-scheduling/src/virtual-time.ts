export interface Member {
  /** Milliseconds of virtual time, but never less than others had used when it came back. */
  used: number;
  isWaiting: boolean;
}

/**
 * Shares time between members: of those that wait, the one that has used least goes next (start-time fair queueing,
 * https://doi.org/10.1109/90.649569).
 */
export interface VirtualTime<Of extends Member> {
  /** What a member that is new has used. */
  readonly now: () => number;
  /** The member has work that waits, until it leaves. */
  readonly enter: (member: Of) => void;
  readonly leave: (member: Of) => void;
  readonly isEmpty: () => boolean;
  readonly waiting: () => Iterable<Of>;
  /** Of those that wait, the one that has used least. */
  readonly next: () => Of | undefined;
  readonly begin: (member: Of) => void;
  /** Charges a member for milliseconds of work. */
  readonly charge: (member: Of, milliseconds: number) => void;
}

/**
 * Virtual time passes by each member's share of the work that is done, whoever does it. If it only followed the members
 * served, then as long as new ones came they would all begin where the last one did, and one that returns, which has used
 * more than that, would never be the next.
 */
export function createVirtualTime<Of extends Member>(): VirtualTime<Of> {
  const waiting = new Set<Of>();
  let now = 0;

  /** Idle time is not saved up. One that waits keeps what it is behind. */
  function catchUp(member: Of): void {
    if (!member.isWaiting) {
      member.used = Math.max(member.used, now);
    }
  }

  return {
    now: () => now,
    enter: (member) => {
      catchUp(member);
      member.isWaiting = true;
      waiting.add(member);
    },
    leave: (member) => {
      member.isWaiting = false;
      waiting.delete(member);
    },
    isEmpty: () => waiting.size === 0,
    waiting: () => waiting,
    next: () => {
      let least: Of | undefined;
      for (const member of waiting) {
        if (least === undefined || member.used < least.used) {
          least = member;
        }
      }
      return least;
    },
    begin: (member) => {
      catchUp(member);
      now = Math.max(now, member.used);
    },
    charge: (member, milliseconds) => {
      catchUp(member);
      member.used += milliseconds;
      now += milliseconds / (waiting.size + (member.isWaiting ? 0 : 1));
    },
  };
}
