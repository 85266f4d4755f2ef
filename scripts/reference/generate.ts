import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Application, TypeDocReader } from 'typedoc';
import { nameParameters } from './parameter-names.ts';
import { packagesIn } from './packages.ts';
import { PackageRouter } from './package-router.ts';
import { PackageTheme } from './package-theme.ts';
import { byPackage } from './by-package.ts';
import { hidePropertyValues } from './hide-property-values.ts';
import { writeIndex } from './index-page.ts';

// Writes a page for each package. Fails if an exported name has no docstring, or mentions a type that isn't exported.
const root = fileURLToPath(new URL('../../', import.meta.url));
const { values } = parseArgs({
  options: { out: { type: 'string', default: `${root}docs/reference` } },
});
const packages = packagesIn(root);
const names = new Map(packages.flatMap(({ modules }) => [...modules]));
const app = await Application.bootstrapWithPlugins(
  {
    options: fileURLToPath(new URL('typedoc.json', import.meta.url)),
    entryPoints: [...names.keys()],
    outputs: [{ name: 'markdown', path: values.out }],
  },
  [new TypeDocReader()],
);
app.renderer.defineRouter('package', PackageRouter);
app.renderer.defineTheme('package', PackageTheme);
const entryPoints = app.getEntryPoints() ?? [];
for (const entryPoint of entryPoints) {
  entryPoint.displayName = names.get(entryPoint.sourceFile.fileName) ?? entryPoint.displayName;
}
const project = app.converter.convert(entryPoints);
for (const { name } of packages) {
  // TypeDoc validates the names of one package at a time.
  project.packageName = name;
  app.validate(project);
}
nameParameters(project);
hidePropertyValues(project);
byPackage(project, packages);
await app.generateOutputs(project);
writeIndex(values.out, packages);
process.exitCode = app.logger.hasErrors() || app.logger.hasWarnings() ? 1 : 0;
