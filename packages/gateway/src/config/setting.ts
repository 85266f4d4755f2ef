import { itemsOf, type Check } from './checks.ts';

/** An environment variable. */
export interface Setting<Value> {
  readonly variable: string;
  /** Used when the variable is unset or empty. */
  readonly fallback: string;
  /** Checks any value but the fallback. */
  readonly check: Check;
  readonly read: (text: string) => Value;
  /** Its description in `--help`. */
  readonly help: (fallback: string) => string;
}

export const textOrNone = (text: string) => text || undefined;
export const numberOrNone = (text: string) => (text === '' ? undefined : Number(text));
export const list = (text: string) => itemsOf(text);
export const isOn = (text: string) => text === 'on';
