/*
 * What the script of the page finds, and of that what it uses. Swagger UI's bundle has no types.
 */

interface JSON {
  rawJSON(text: string): object;
}

/** A component of React, and what it is given. */
type Component = (properties: Readonly<Record<string, unknown>>) => unknown;

/** What Swagger UI gives its plugins: https://swagger.io/docs/open-source-tools/swagger-ui/customization/plugin-api/ */
interface System {
  readonly React: {
    createElement(type: unknown, properties: object | null, ...children: unknown[]): unknown;
  };
  readonly authSelectors: { authorized(): unknown };
  readonly getComponent: (name: string, container: boolean) => Component;
}

type SwaggerPlugin = () => {
  readonly wrapComponents?: Readonly<
    Record<string, (original: Component, system: System) => Component>
  >;
  readonly statePlugins?: {
    readonly auth: {
      readonly wrapActions: Readonly<
        Record<string, (original: unknown, system: System) => () => void>
      >;
    };
  };
};

declare function SwaggerUIBundle(options: {
  readonly url: string | undefined;
  readonly domNode: HTMLElement;
  readonly deepLinking: boolean;
  readonly validatorUrl: null;
  readonly syntaxHighlight: { readonly theme: string };
  readonly plugins: readonly SwaggerPlugin[];
  readonly onComplete: () => void;
}): { readonly authActions: { restoreAuthorization(state: { authorized: unknown }): void } };
