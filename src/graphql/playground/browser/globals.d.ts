/* What the page's scripts use of its globals. GraphiQL's bundle has no types. */

interface Position {
  readonly lineNumber: number;
  readonly column: number;
}

interface TextModel {
  readonly uri: { readonly path: string };
  getValue(): string;
  setValue(text: string): void;
  getPositionAt(offset: number): Position;
  /** `isFlush`: the whole text was replaced by a program. */
  onDidChangeContent(listener: (event: { readonly isFlush: boolean }) => void): void;
}

interface CodeEditor {
  getModel(): TextModel | null;
  setPosition(position: Position): void;
  onDidChangeModel(listener: () => void): void;
}

/** Monaco, GraphiQL's editor: https://microsoft.github.io/monaco-editor/typedoc/ */
declare const monaco: {
  readonly editor: {
    getModels(): readonly TextModel[];
    onDidCreateModel(listener: (model: TextModel) => void): void;
    onDidCreateEditor(listener: (editor: CodeEditor) => void): void;
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

/** @graphql-yoga/render-graphiql; it passes unknown properties on to GraphiQL. */
declare const YogaGraphiQL: {
  renderYogaGraphiQL(
    root: HTMLElement | null,
    properties: {
      readonly title: string;
      readonly fetcher: Fetcher;
      readonly query?: string | undefined;
      readonly onEditQuery: (query: string) => void;
      readonly onTabChange: (state: {
        readonly tabs: readonly { readonly query: string | null }[];
        readonly activeTabIndex: number;
      }) => void;
      readonly defaultTabs: readonly { readonly query: string }[];
      readonly initialHeaders: string;
      /** For a new tab. */
      readonly headers: string;
      readonly storage: Storage;
      readonly shouldPersistHeaders: boolean;
    },
  ): void;
};
