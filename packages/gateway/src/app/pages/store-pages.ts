/** A landing page of a store's own, in the frame of all pages. */
export interface LandingPage {
  /** Style sheets, in its head. */
  readonly styles: readonly URL[];
  /** The module that it runs, in a folder with those that this imports, of which the gateway's may be some. */
  readonly script: URL;
  /** HTML, from that of the store's title and the list of all addresses. */
  readonly main: (parts: { readonly title: string; readonly addresses: string }) => string;
}

/** What a store adds to its pages. */
export interface StorePages {
  /** Shapes in SVG of 16 by 16, in one color. By default a plain dot. */
  readonly icon?: string;
  /** By default the title and the addresses. */
  readonly landing?: LandingPage;
  /** What GraphiQL opens with, each in a tab of its own. */
  readonly firstQueries?: readonly string[];
  /**
   * Guides for clients, as files of Markdown: `api.md` is served at /guides/api. Links between them work, those to other files
   * become text.
   */
  readonly guides?: readonly URL[];
}
