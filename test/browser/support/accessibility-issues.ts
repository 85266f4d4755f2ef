import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** More tab stops than any page has. */
const MAX_TAB_STOPS = 300;

/** Returns a page's accessibility issues: axe's findings, horizontal scrolling, and keyboard focus that is not visible. */
export async function accessibilityIssues(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const findings = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target }) => `${id}: ${target.join(' ')}`),
  );
  const excess = Number(await page.evaluate('document.scrollingElement.scrollWidth - innerWidth'));
  const sideways = excess > 0 ? [`${excess} px wider than the window`] : [];
  const unseen = await unseenFocus(page);
  return [...findings, ...sideways, ...unseen.map((stop) => `focus not visible: ${stop}`)];
}

/** Returns the tab stops that are outside the window or lack an outline of at least 2 px. */
async function unseenFocus(page: Page): Promise<readonly string[]> {
  const stops = new Set<string>();
  const unseen: string[] = [];
  await page.evaluate('document.activeElement.blur()');
  for (let presses = 0; presses < MAX_TAB_STOPS; presses += 1) {
    await page.keyboard.press('Tab');
    const { stop, isSeen } = await page.evaluate<{ stop: string; isSeen: boolean }>(FOCUS);
    if (stop === '' || stops.has(stop)) {
      return unseen;
    }
    stops.add(stop);
    if (!isSeen) {
      unseen.push(stop);
    }
  }
  throw new Error(`Tab has not returned to the first stop after ${MAX_TAB_STOPS} steps`);
}

/** Describes the focused element by its position in the document and its text, and tells whether it is visible. */
const FOCUS = `(() => {
  const focused = document.activeElement;
  if (focused === document.body) {
    return { stop: '', isSeen: true };
  }
  const isOutlined = (element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    // An outline is transparent if its element is.
    const isVisible = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    return isVisible && outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
  };
  let outlined = focused;
  while (outlined !== null && !(outlined.matches(':focus-within') && isOutlined(outlined))) {
    outlined = outlined.parentElement;
  }
  const { top, bottom, left, right } = focused.getBoundingClientRect();
  const isInside = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
  const place = [...document.querySelectorAll('*')].indexOf(focused);
  const name = focused.ariaLabel ?? focused.textContent.trim();
  const stop = place + ' <' + focused.localName + '> ' + name.slice(0, 60);
  return { stop, isSeen: outlined !== null && isInside };
})()`;
