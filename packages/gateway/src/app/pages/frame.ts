import type { Gateway, LandingPage } from '../../definition.ts';
import { escapeHtml } from '@store-gateway/http';
import { scopeNames } from '../../auth/scope-names.ts';
import type { Config } from '../../config/config.ts';
import { findAssets, type Assets } from './assets.ts';

/** What all pages of a store have. */
export interface Frame {
  /** The name of the store for people, as HTML. */
  readonly title: string;
  /** Shapes in SVG of 16 by 16. */
  readonly icon: string;
  /** The element for the API key, and for signing in. */
  readonly keyField: string;
  /** The item of the browser's session storage that has the key once it works. */
  readonly keyItem: string;
  /** The store's own, or a plain one. */
  /** The origin of the identity provider that people sign in at, if they can. */
  readonly providerOrigin: string | undefined;
  readonly landing: LandingPage;
  /** What GraphiQL opens with. */
  readonly firstQueries: readonly string[];
  /** Files of Markdown. */
  readonly guides: readonly URL[];
  readonly assets: Assets;
}

const PLAIN: LandingPage = {
  styles: [],
  script: new URL('browser/api-key.js', import.meta.url),
  main: ({ title, addresses }) => `
      <h1>${title}</h1>
      ${addresses}`,
};

const DOT = '<circle cx="8" cy="8" r="6"/>';

type SignInOptions = Pick<Config, 'oidcIssuer' | 'oidcAudience' | 'oidcClientId'>;

export function createFrame(
  { title, access, serviceName, pages }: Gateway,
  { oidcIssuer, oidcAudience, oidcClientId }: SignInOptions,
): Frame {
  const { icon = DOT, landing = PLAIN, firstQueries = [], guides = [] } = pages;
  const keyItem = `${serviceName}:api-key`;
  const canSignIn = oidcIssuer !== undefined && oidcClientId !== undefined;
  const attributes = {
    prefix: access.keyPrefix,
    item: keyItem,
    ...(canSignIn && {
      issuer: oidcIssuer,
      client: oidcClientId,
      audience: oidcAudience ?? '',
      scopes: scopeNames(access).join(' '),
    }),
  };
  const written = Object.entries(attributes).map(
    ([name, value]) => ` data-${name}="${escapeHtml(value)}"`,
  );
  return {
    title: escapeHtml(title),
    icon,
    keyField: `<api-key-field${written.join('')}></api-key-field>`,
    keyItem,
    providerOrigin: canSignIn ? new URL(oidcIssuer).origin : undefined,
    landing,
    firstQueries,
    guides,
    assets: findAssets(landing),
  };
}
