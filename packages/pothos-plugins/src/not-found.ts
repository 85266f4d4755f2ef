import 'graphql';

declare module 'graphql' {
  // oxlint-disable-next-line typescript/no-unused-vars -- a merged declaration repeats the parameters
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** The message of the NOT_FOUND that the field throws if what it is asked for isn't there. */
    notFound?: string;
  }
}
