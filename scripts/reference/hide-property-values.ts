import { type ProjectReflection, ReflectionKind } from 'typedoc';

/** Leaves out what the properties of objects are written as: their types say what is to be known. */
export function hidePropertyValues(project: ProjectReflection): void {
  for (const property of project.getReflectionsByKind(ReflectionKind.Property)) {
    if (property.isDeclaration()) {
      delete property.defaultValue;
    }
  }
}
