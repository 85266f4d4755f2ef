import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** More than any page has. */
const MAX_TAB_STOPS = 300;

/** What makes a page hard to use: whatever axe finds, sideways scrolling, and a focus of the keyboard that is not seen. */
export async function accessibilityIssues(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const findings = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target }) => `${id}: ${target.join(' ')}`),
  );
  const excess = Number(await page.evaluate('document.scrollingElement.scrollWidth - innerWidth'));
  const sideways = excess > 0 ? [`${excess} px wider than the window`] : [];
  const unseen = await unseenFocus(page);
  return [...findings, ...sideways, ...unseen.map((stop) => `focus not seen: ${stop}`)];
}

/** What Tab comes to without an outline of 2 px around it, or outside the window. */
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
  throw new Error(`Tab has not come round in ${MAX_TAB_STOPS} steps`);
}

/** The focused element by its place in the document and its text, and whether it is seen. */
const FOCUS = `(() => {
  const focused = document.activeElement;
  if (focused === document.body) {
    return { stop: '', isSeen: true };
  }
  const isOutlined = (element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    // An outline is as transparent as its element.
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
