import { type ProjectReflection, ReflectionKind } from 'typedoc';

/** Removes the values of objects' properties, whose types say enough. */
export function hidePropertyValues(project: ProjectReflection): void {
  for (const property of project.getReflectionsByKind(ReflectionKind.Property)) {
    if (property.isDeclaration()) {
      delete property.defaultValue;
    }
  }
}
