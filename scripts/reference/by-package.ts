import { DeclarationReflection, type ProjectReflection, ReflectionKind } from 'typedoc';
import type { Package } from './packages.ts';

/** Moves the modules of each package into one module with the package's name, which gets a page. */
export function byPackage(project: ProjectReflection, packages: readonly Package[]): void {
  const modules = new Map(
    project.getChildrenByKind(ReflectionKind.Module).map((module) => [module.name, module]),
  );
  for (const { name, modules: names } of packages) {
    const page = new DeclarationReflection(name, ReflectionKind.Module, project);
    project.registerReflection(page, undefined, undefined);
    for (const module of [...names.values()].map((each) => modules.get(each))) {
      if (module !== undefined) {
        project.removeChild(module);
        module.parent = page;
        page.addChild(module);
      }
    }
    project.addChild(page);
  }
}
