import type { Model, Row } from './tables.ts';

/** A request, in which `{{cursor:3}}` and the like stand for what earlier answers have had. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What happens in both worlds, one after the other. */
export type Step =
  /** Ann asks; so do others at the same time, if it is a read. */
  | { readonly kind: 'ask'; readonly exchange: Exchange; readonly beside: readonly string[] }
  /** A row becomes one that ann doesn't see, if it isn't: other in each world. */
  | {
      readonly kind: 'hide';
      readonly model: Model;
      readonly id: string;
      readonly values: readonly [Row | 'removed', Row | 'removed'];
    }
  /** Somebody else writes what ann doesn't see: other in each world. */
  | {
      readonly kind: 'other';
      readonly caller: string;
      readonly exchanges: readonly [Exchange, Exchange];
    };
