/* What the page's scripts use of its globals. GraphiQL's bundle has no types. */

/** Monaco, GraphiQL's editor: https://microsoft.github.io/monaco-editor/typedoc/ */
declare const monaco: {
  readonly editor: {
    getModels(): readonly {
      readonly uri: { readonly path: string };
      getValue(): string;
      setValue(text: string): void;
    }[];
    onDidCreateEditor(
      listener: (editor: { updateOptions(options: { readonly wordWrap: 'on' }): void }) => void,
    ): void;
    remeasureFonts(): void;
  };
};

interface Window {
  MonacoEnvironment: {
    /** Whether to set the global `monaco`. */
    readonly globalAPI: boolean;
    readonly getWorkerUrl: (module: string, label: string) => string;
  };
}

interface GraphQLRequest {
  readonly query: string;
  readonly operationName?: string | null;
  readonly variables?: unknown;
}

type Fetcher = (
  request: GraphQLRequest,
  options?: { readonly headers?: Readonly<Record<string, string>> | null },
) => Promise<unknown>;

/** What we use of graphql-js's GraphQLSchema. */
interface Schema {
  getMutationType(): {
    getFields(): Readonly<
      Record<string, { readonly name: string; readonly args: readonly { readonly name: string }[] }>
    >;
  } | null;
}

/** @graphql-yoga/render-graphiql; it passes unknown properties on to GraphiQL. */
declare const YogaGraphiQL: {
  renderYogaGraphiQL(
    root: HTMLElement | null,
    properties: {
      readonly title: string;
      readonly fetcher: Fetcher;
      readonly introspectionQueryName: string;
      readonly onSchemaChange: (schema: Schema) => void;
      readonly query: string;
      readonly variables?: string;
      readonly onEditQuery: () => void;
      readonly onTabChange: (state: {
        readonly tabs: readonly { readonly id: string; readonly query: string | null }[];
        readonly activeTabIndex: number;
      }) => void;
      readonly defaultTabs: readonly { readonly query: string; readonly variables?: string }[];
      readonly storage: Storage;
      readonly shouldPersistHeaders: boolean;
    },
  ): void;
};
