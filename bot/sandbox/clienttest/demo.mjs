// Acts as a person on the demo's page: types /stuck sweep and reads the result. A check that fails ends it with 1.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const { SANDBOX_URL: url, CHROMIUM: executablePath, SHOTS: shots } = process.env;
mkdirSync(shots, { recursive: true });

const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'],
});
const context = await browser.newContext({ viewport: { width: 1200, height: 820 }, colorScheme: 'light', reducedMotion: 'reduce', locale: 'en-GB', timezoneId: 'Europe/Amsterdam' });
context.setDefaultTimeout(60_000);
const page = await context.newPage();
const problems = [];
page.on('pageerror', (error) => problems.push(error.message));

try {
  await page.goto(url);
  await page.getByText('Stuckbot is connected').waitFor();
  const composer = page.locator('#composer-main');
  const timeline = page.locator('#timeline');
  await composer.pressSequentially('/stuck sweep');
  await composer.press('Escape');
  await composer.press('Enter');

  const answer = timeline.locator('.message', { hasText: 'clusters read in' });
  await answer.waitFor();
  const text = await answer.innerText();
  console.log(text);
  assert.match(text, /2 of 4 clusters have releases stuck in Pending-Upgrade/);
  assert.match(text, /prod-eu\s+shop\/payments\s+4 → 5 \(2\.14\.0\): Pending-Upgrade/);
  assert.match(text, /prod-us\s+fraud\/scoring/);
  assert.match(text, /Not read: 3/);
  assert.match(text, /prod-ap.*did not answer in time/);
  assert.match(text, /secrets in namespace vault/);
  assert.doesNotMatch(text, /invoicing/, 'a rolled-back release is not stuck');
  assert.ok(text.indexOf('fraud/scoring') < text.indexOf('Elsewhere'), 'production comes first');
  await answer.getByText('2 of 4 clusters').scrollIntoViewIfNeeded();
  await page.screenshot({ path: join(shots, 'sweep.png') });

  await composer.pressSequentially('/stuck sweeep');
  await composer.press('Escape');
  await composer.press('Enter');
  await timeline.getByText('Did you mean “sweep”?').waitFor();
  assert.deepEqual(problems, []);
} catch (error) {
  await page.screenshot({ path: join(shots, 'failed.png') });
  throw error;
} finally {
  await browser.close();
}
