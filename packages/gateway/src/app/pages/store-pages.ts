/** A landing page of a store's own, in the frame of all pages. */
export interface LandingPage {
  /** Style sheets, in its head. */
  readonly styles: readonly URL[];
  /** Modules of a folder, which ends with a slash; the first runs, and the others are what it imports. */
  readonly scripts: { readonly folder: URL; readonly names: readonly [string, ...string[]] };
  /** Scripts of the gateway that those import. */
  readonly imports: readonly string[];
  /** HTML, from that of the store's title, the element for the API key and the list of all addresses. */
  readonly main: (parts: {
    readonly title: string;
    readonly keyField: string;
    readonly addresses: string;
  }) => string;
}

/** What a store adds to its pages. */
export interface StorePages {
  /** Shapes in SVG of 16 by 16, in one color. By default a plain dot. */
  readonly icon?: string;
  /** By default the title, the API key and the addresses. */
  readonly landing?: LandingPage;
  /** What GraphiQL opens with, each in a tab of its own. */
  readonly firstQueries?: readonly string[];
}
