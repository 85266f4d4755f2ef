import type { Markdown } from '../markdown.ts';
import type { OpenApi } from '../openapi.ts';

/** What all parts of a page are rendered with. */
export interface Rendering {
  readonly openApi: OpenApi;
  readonly markdown: Markdown;
  /** The base address of code samples. */
  readonly server: string;
  /** Begins the path of each operation. */
  readonly basePath: string;
}
