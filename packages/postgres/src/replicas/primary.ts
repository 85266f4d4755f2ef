import type { Pool } from 'pg';

export interface Primary {
  readonly pool: Pool;
  /** Whether the pool's connections are those of a pooler. */
  readonly isPooled: boolean;
}
