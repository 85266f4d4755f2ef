import { access, constants } from 'node:fs/promises';
import { chromium, type Browser } from 'playwright-core';

/** Where Debian puts it; elsewhere, the variable CHROMIUM says. */
const EXECUTABLE = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
  // Whatever a page asks of another host stays on this machine; that it asked is still seen.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/** For a machine that has never run this Chromium, and has it on a slow disk. */
const FIRST_PAGE_TIMEOUT_MS = 120_000;

/** @throws Error that says what to install */
export async function launchChromium(): Promise<Browser> {
  try {
    await access(EXECUTABLE, constants.X_OK);
  } catch {
    throw new Error(
      `No Chromium at ${EXECUTABLE}: install it (Debian: apt-get install chromium fonts-dejavu-core), or set CHROMIUM to its path`,
    );
  }
  const browser = await chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS });
  await showFirstPage(browser);
  return browser;
}

/** A first page starts most of the browser's processes, and reads them and the fonts from the disk: before a test's time. */
async function showFirstPage(browser: Browser): Promise<void> {
  const page = await browser.newPage();
  await page.setContent('<h1>First</h1>', { timeout: FIRST_PAGE_TIMEOUT_MS });
  await page.screenshot({ timeout: FIRST_PAGE_TIMEOUT_MS });
  await page.close();
}
