import { union, type Span } from './spans.ts';

/** Before anything is written. */
export const NOTHING_YET = 'not there yet';
/** What is written last: nothing follows it. */
export const REMOVED = 'removed';

/** What a register has had: each value is written by one write alone, so that it tells which. */
export type Value = string | number;

/**
 * What one thing that changes may have been, and when, as far as its clients can know. A value that was shown before
 * another one was asked for, or read once more, precedes it: this alone orders the writes, and is all that there is to
 * check of a linearizable register whose values are unique (Gibbons and Korach, Testing Shared Memories, 1997).
 */
export interface Register {
  /** A client asks for the value to be written, for the first time or again. */
  readonly asked: (value: Value, at: number) => void;
  /** It was not written, for this once. */
  readonly refused: (value: Value) => void;
  /** It had been written by then, and perhaps others since. */
  readonly written: (value: Value, by: number) => void;
  /** At a moment of the span, the register had the value. */
  readonly shown: (value: Value, span: Span) => void;
  readonly has: (value: Value) => boolean;
  /** By when something had certainly been written. */
  readonly existsBy: () => number;
  /** When it may have had one of these values. */
  readonly when: (isOne: (value: Value) => boolean) => Span[];
  /** All of them, in words. */
  readonly toString: () => string;
}

interface Version {
  readonly since: number;
  /** How many requests to write it may have done so. */
  requests: number;
  /** When a client first heard that it had been written. */
  heard: number;
  /** When the last request was sent that wrote it, or that it answered. */
  lastAsked: number;
}

export function createRegister(): Register {
  const versions = new Map<Value, Version>([
    [NOTHING_YET, { since: -Infinity, requests: 1, heard: -Infinity, lastAsked: -Infinity }],
  ]);

  const written = (value: Value, by: number): void => {
    const version = versions.get(value);
    if (version !== undefined) version.heard = Math.min(version.heard, by);
  };
  /** When a client first heard of something that follows the value. */
  const until = (value: Value, { heard }: Version): number => {
    const followers = [...versions].filter(
      ([other, { lastAsked }]) => other !== value && (other === REMOVED || heard < lastAsked),
    );
    return value === REMOVED ? Infinity : Math.min(...followers.map(([, { heard: by }]) => by));
  };
  const spans = (): [Value, Span][] =>
    Array.from(versions, ([value, version]) => [
      value,
      { from: version.since, to: until(value, version) },
    ]);

  return {
    asked: (value, at) => {
      const version = versions.get(value);
      if (version === undefined) {
        versions.set(value, { since: at, requests: 1, heard: Infinity, lastAsked: at });
      } else {
        version.requests += 1;
      }
    },
    refused: (value) => {
      const version = versions.get(value);
      if (version === undefined) return;
      version.requests -= 1;
      if (version.requests === 0) versions.delete(value);
    },
    written,
    shown: (value, { from, to }) => {
      written(value, to);
      const version = versions.get(value);
      if (version !== undefined) version.lastAsked = Math.max(version.lastAsked, from);
    },
    has: (value) => versions.has(value),
    existsBy: () =>
      Math.min(
        ...[...versions].map(([value, { heard }]) => (value === NOTHING_YET ? Infinity : heard)),
      ),
    when: (isOne) =>
      union(
        spans().flatMap(([value, span]) => (isOne(value) && span.from < span.to ? [span] : [])),
      ),
    toString: () =>
      spans()
        .map(([value, { from, to }]) => `${value} from ${from} to ${to}`)
        .join(', '),
  };
}
