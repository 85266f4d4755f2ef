export interface Member {
  /** Milliseconds of virtual time, but never less than others had used when it came back. */
  used: number;
  isWaiting: boolean;
}

/**
 * Shares time between members: of those that wait, the one that has used least goes next (start-time fair queueing,
 * https://doi.org/10.1109/90.649569).
 *
 * Virtual time passes by each member's share of all work that is done. If it only followed the members
 * served, then as long as new ones came they would all begin where the last one did, and one that returns, which has used
 * more than that, would never be the next.
 */
export class VirtualTime<Of extends Member> {
  readonly #waiting = new Set<Of>();
  #now = 0;

  /** What a member that is new has used. */
  get now(): number {
    return this.#now;
  }

  get waiting(): ReadonlySet<Of> {
    return this.#waiting;
  }

  /** The member has work that waits, until it leaves. */
  enter(member: Of): void {
    this.#catchUp(member);
    member.isWaiting = true;
    this.#waiting.add(member);
  }

  leave(member: Of): void {
    member.isWaiting = false;
    this.#waiting.delete(member);
  }

  /** Of those that wait, the one that has used least. */
  next(): Of | undefined {
    let least: Of | undefined;
    for (const member of this.#waiting) {
      if (least === undefined || member.used < least.used) {
        least = member;
      }
    }
    return least;
  }

  begin(member: Of): void {
    this.#catchUp(member);
    this.#now = Math.max(this.#now, member.used);
  }

  /** Charges a member for milliseconds of work. */
  charge(member: Of, milliseconds: number): void {
    this.#catchUp(member);
    member.used += milliseconds;
    this.#now += milliseconds / (this.#waiting.size + (member.isWaiting ? 0 : 1));
  }

  /** Idle time is not saved up. One that waits keeps what it is behind. */
  #catchUp(member: Of): void {
    if (!member.isWaiting) {
      member.used = Math.max(member.used, this.#now);
    }
  }
}
