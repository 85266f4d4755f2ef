/* The types of the globals that the page's scripts use. GraphiQL's bundle has no types. */

/** Monaco, GraphiQL's editor: https://microsoft.github.io/monaco-editor/typedoc/ */
declare const monaco: {
  readonly editor: {
    getModels(): readonly MonacoModel[];
    getEditors(): readonly MonacoEditor[];
    onDidCreateEditor(
      listener: (editor: { updateOptions(options: { readonly wordWrap: 'on' }): void }) => void,
    ): void;
    remeasureFonts(): void;
  };
};

interface MonacoModel {
  readonly uri: { readonly path: string };
  getValue(): string;
  setValue(text: string): void;
  getPositionAt(offset: number): { readonly lineNumber: number; readonly column: number };
}

interface MonacoEditor {
  getModel(): MonacoModel | null;
  focus(): void;
  setSelection(selection: {
    readonly startLineNumber: number;
    readonly startColumn: number;
    readonly endLineNumber: number;
    readonly endColumn: number;
  }): void;
}

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

/** The part of the introspection query's result that we use. */
interface Introspection {
  readonly data: {
    readonly __schema: {
      readonly mutationType: { readonly name: string } | null;
      readonly types: readonly {
        readonly name: string;
        readonly fields?:
          | readonly {
              readonly name: string;
              readonly args: readonly { readonly name: string }[];
            }[]
          | null;
      }[];
    };
  };
}

/** @graphql-yoga/render-graphiql, which passes unknown properties on to GraphiQL. */
declare const YogaGraphiQL: {
  renderYogaGraphiQL(
    root: HTMLElement | null,
    properties: {
      readonly title: string;
      readonly fetcher: Fetcher;
      readonly introspectionQueryName: string;
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
