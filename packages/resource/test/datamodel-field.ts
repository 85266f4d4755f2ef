/** A required column, in the datamodel that Prisma's generator for Pothos would write. */
export const field = {
  kind: 'scalar',
  isRequired: true,
  isList: false,
  hasDefaultValue: false,
  isUnique: false,
  isId: false,
};
