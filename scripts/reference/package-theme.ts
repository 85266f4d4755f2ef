import { DeclarationReflection, type Reflection } from 'typedoc';
import {
  type MarkdownPageEvent,
  MarkdownTheme,
  type MarkdownThemeContext,
} from 'typedoc-plugin-markdown';

export class PackageTheme extends MarkdownTheme {
  override getRenderContext(page: MarkdownPageEvent<Reflection>): MarkdownThemeContext {
    const context = super.getRenderContext(page);
    context.helpers.getParameterDefaultValue = ({ defaultValue }) => defaultValue ?? '-';
    return context;
  }

  override reflectionTemplate = (page: MarkdownPageEvent<Reflection>): string => {
    const { model } = page;
    return model instanceof DeclarationReflection ? pageOf(model, this.getRenderContext(page)) : '';
  };
}

function pageOf({ name, children = [] }: DeclarationReflection, context: MarkdownThemeContext) {
  const readme = `../../packages/${name.replace(/^.*\//, '')}/README.md`;
  return [
    `# ${name}`,
    `For developers who import this package: the names that its modules export. Its [README](${readme}) explains its purpose and use.`,
    children
      .map(
        (module) =>
          `- ${linkTo(module, context, module.name.slice(name.length + 1))}: ${(module.children ?? []).map((member) => linkTo(member, context)).join(', ')}`,
      )
      .join('\n'),
    ...children.map((module) => sectionOf(module, context)),
  ].join('\n\n');
}

function linkTo(
  target: DeclarationReflection,
  context: MarkdownThemeContext,
  text = target.name,
): string {
  return `[\`${text}\`](${context.urlTo(target)})`;
}

function sectionOf(
  { name, children = [] }: DeclarationReflection,
  { partials }: MarkdownThemeContext,
) {
  return [
    `## ${name}`,
    ...children.map((member) => partials.memberContainer(member, { headingLevel: 3 })),
  ].join('\n\n');
}
