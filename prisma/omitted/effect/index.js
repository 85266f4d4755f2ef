'use strict';
// Prisma checks the shape of prisma.config.ts with effect, which is 39 MB. Here any shape will do: the types have been checked.

const Either = {
  left: (left) => ({ _tag: 'Left', left }),
  right: (right) => ({ _tag: 'Right', right }),
  isLeft: ({ _tag }) => _tag === 'Left',
  map: (change) => Either.flatMap((value) => Either.right(change(value))),
  flatMap: (next) => (either) => (Either.isLeft(either) ? either : next(either.right)),
  orElse: (next) => (either) => (Either.isLeft(either) ? next(either.left) : either),
};

const any = () => undefined;

const Schema = {
  Any: undefined,
  String: undefined,
  Boolean: undefined,
  NonEmptyString: undefined,
  Array: any,
  NullOr: any,
  mutable: any,
  optional: any,
  Struct: (fields) => ({ fields, make: (value) => value }),
  decodeUnknownEither: () => Either.right,
};

const pipe = (value, ...steps) => steps.reduce((result, step) => step(result), value);

module.exports = { Either, Schema, pipe };
