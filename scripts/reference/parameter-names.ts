import { type ProjectReflection, ReferenceType, ReflectionKind } from 'typedoc';

const DESTRUCTURED = '__namedParameters';

/** Names destructured parameters by their types, or `options`. */
export function nameParameters(project: ProjectReflection): void {
  for (const parameter of project.getReflectionsByKind(ReflectionKind.Parameter)) {
    if (parameter.name === DESTRUCTURED && parameter.isParameter()) {
      const { type } = parameter;
      const name = type instanceof ReferenceType && type.reflection ? type.name : 'options';
      parameter.name = name.charAt(0).toLowerCase() + name.slice(1);
    }
  }
}
