import type { StorePages } from '@store-gateway/gateway';
import { firstQueries } from './first-queries.ts';
import { guides } from './guides.ts';
import { landing } from './landing-page.ts';

/** An animal's footprint. */
const icon =
  '<ellipse cx="8" cy="11" rx="4" ry="3.5"/><circle cx="3" cy="6" r="1.8"/><circle cx="6.4" cy="3.2" r="1.8"/><circle cx="9.8" cy="3.2" r="1.8"/><circle cx="13" cy="6" r="1.8"/>';

export const pages: StorePages = { icon, landing, firstQueries, guides };
