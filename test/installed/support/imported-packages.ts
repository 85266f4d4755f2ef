import { isBuiltin } from 'node:module';
import { parseSync, Visitor } from 'rolldown/utils';

/** The packages that a file of JavaScript or TypeScript imports, in code or in types; `node` for what Node has. */
export function importedPackages(path: string, text: string): ReadonlySet<string> {
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const specifiers: unknown[] = comments.flatMap(
    ({ value }) => /^\/\s*<reference types="([^"]+)"/.exec(value)?.[1] ?? [],
  );
  const note = ({ source }: { readonly source: unknown }) => {
    specifiers.push(valueOf(source));
  };
  new Visitor({
    ImportDeclaration: note,
    ExportNamedDeclaration: note,
    ExportAllDeclaration: note,
    ImportExpression: note,
    TSImportType: note,
    TSModuleDeclaration: ({ id }) => {
      specifiers.push(valueOf(id));
    },
  }).visit(program);
  return new Set(
    specifiers
      .filter((specifier) => typeof specifier === 'string')
      .filter((specifier) => !/^[./#]/.test(specifier))
      .map(packageOf),
  );
}

function valueOf(literal: unknown): unknown {
  return typeof literal === 'object' && literal !== null && 'value' in literal
    ? literal.value
    : undefined;
}

function packageOf(specifier: string): string {
  if (isBuiltin(specifier)) return 'node';
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
