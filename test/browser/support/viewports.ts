import type { BrowserContextOptions } from 'playwright-core';

const SIZES = [
  { width: 1280, height: 800 },
  { width: 768, height: 1024 },
  { width: 390, height: 844 },
];

export interface Viewport extends BrowserContextOptions {
  readonly name: string;
}

/** Page options for a laptop, a tablet and a phone, each in light and dark, with a name. */
export const VIEWPORTS: readonly Viewport[] = SIZES.flatMap((viewport) =>
  (['light', 'dark'] as const).map((colorScheme) => ({
    name: `${viewport.width}-${colorScheme}`,
    viewport,
    colorScheme,
  })),
);
