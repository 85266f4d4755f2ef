export interface Picture {
  readonly file: string;
  /** The alternative text of the picture. */
  readonly title: string;
}

/** A page in docs/results, which a program writes as a whole. */
export interface ResultsPage {
  readonly title: string;
  /** The page's audience, and the missed targets. */
  readonly introduction: string;
  readonly picture?: Picture;
  readonly results: string;
}

/** The page in Markdown, as Prettier writes it. */
export function resultsPage({ title, introduction, picture, results }: ResultsPage): string {
  const shown = picture === undefined ? '' : `![${picture.title}](${picture.file})\n\n`;
  return `# ${title}\n\n${introduction}\n\n${shown}${results}`;
}
