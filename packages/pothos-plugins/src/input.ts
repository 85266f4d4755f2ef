import type { GraphQLArgument, GraphQLInputField } from 'graphql';
import type { InputRule } from './input-rules.ts';

declare module 'graphql' {
  interface GraphQLArgumentExtensions {
    rule?: InputRule | undefined;
  }
  interface GraphQLInputFieldExtensions {
    rule?: InputRule | undefined;
  }
}

/** An argument, an input field, or a variable in the place of one. */
export type Input = Pick<GraphQLArgument | GraphQLInputField, 'name' | 'type' | 'defaultValue'> & {
  readonly description?: string | null | undefined;
  readonly extensions: { readonly rule?: InputRule | undefined };
};
