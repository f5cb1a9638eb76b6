// Acts as a person on the sandbox's page. Every wait is for something that appears; a check that fails ends it with 1.

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
const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, colorScheme: 'light', reducedMotion: 'reduce', locale: 'en-GB', timezoneId: 'Europe/Amsterdam' });
context.setDefaultTimeout(15_000);
const page = await context.newPage();
const problems = [];
let cutting = false; // the network is to fail
page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
page.on('console', (message) => {
  if (cutting && message.text().includes('net::ERR_')) return;
  if (['error', 'warning'].includes(message.type())) problems.push(`console: ${message.text()}`);
});
page.on('request', (request) => {
  if (!request.url().startsWith(url)) problems.push(`request to ${request.url()}`);
});

const shot = (name) => page.screenshot({ path: join(shots, `${name}.png`) });
const began = Date.now();
const step = (name) => console.log(`- ${((Date.now() - began) / 1000).toFixed(1)} s: ${name}`);
const main = page.locator('#composer-main');
const timeline = page.locator('#timeline');
const background = () => page.evaluate(() => new Promise((done) => {
  requestAnimationFrame(() => done(getComputedStyle(document.body).backgroundColor));
}));
// until asks, frame by frame, for what the page does not announce.
const until = async (cond) => {
  for (let frame = 0; frame < 600; frame++) if (await cond()) return;
  assert.fail(`in vain: ${cond}`);
};
const become = async (name) => {
  await page.locator('#switch').click();
  await page.getByRole('option', { name }).click();
  await page.locator('#switch .name', { hasText: name }).waitFor();
};

try {
  step('the page opens as Alice, in #releases, with the bot connected');
  await page.goto(url);
  await page.locator('#switch .name', { hasText: 'Alice Ames' }).waitFor();
  await page.getByText('Stuckbot is connected').waitFor();
  await page.getByText('#releases is quiet').waitFor();
  await shot('01-empty-light');

  step('a slash command is completed and answered to Alice alone');
  await main.pressSequentially('/');
  await page.getByRole('option', { name: '/stuck' }).waitFor();
  await main.press('Enter');
  assert.equal(await main.inputValue(), '/stuck ');
  await page.getByRole('option', { name: 'diagnose prod-eu' }).waitFor();
  await shot('02-completion-light');
  await main.press('ArrowDown');
  await main.press('Enter');
  assert.equal(await main.inputValue(), '/stuck diagnose prod-eu ');
  await main.press('Enter');
  await timeline.getByText('Only visible to you').waitFor();
  await timeline.locator('.mention.me', { hasText: '@Alice Ames' }).waitFor();

  step('people talk, with mentions and marks');
  await main.pressSequentially('Good morning @bo');
  await page.getByRole('option', { name: 'Bob Brandt' }).waitFor();
  await main.press('Tab');
  await main.pressSequentially('the <b>release</b> is *out* :rocket: see `v1.4.2`');
  await main.press('Shift+Enter');
  await main.pressSequentially('_and_ ~nothing~ one thing is stuck');
  await main.press('Enter');
  const said = timeline.locator('.message', { hasText: 'Good morning' });
  await said.locator('strong', { hasText: 'out' }).waitFor();
  assert.ok((await said.innerText()).includes('<b>release</b>'), 'markup is text');
  assert.equal(await said.locator('b').count(), 0);

  step('the bot posts a card with every kind of block');
  await main.fill('/stuck sweep');
  await main.press('Enter');
  const card = timeline.locator('.message', { hasText: '1 of 118 releases is stuck' });
  await card.getByRole('button', { name: 'Approve' }).waitFor();
  assert.equal(await card.locator('pre').first().innerText(), 'level=error msg="pre-upgrade hooks failed: timed out waiting for the condition"\n<!channel> & <b>not markup</b> *not bold*\nError: UPGRADE FAILED');
  await card.getByRole('link', { name: 'the runbook' }).waitFor();
  await shot('03-card-light');

  step('dark mode follows the system');
  assert.equal(await background(), 'rgb(255, 255, 255)');
  await page.emulateMedia({ colorScheme: 'dark' });
  await until(async () => await background() === 'rgb(22, 25, 31)');
  await shot('04-card-dark');

  step('a click that the app does not acknowledge is reported');
  await card.getByRole('button', { name: 'Evidence' }).click();
  await card.getByRole('alert').getByText('Operation timed out').waitFor();
  await shot('13-notice-dark');

  step('Bob is told of what he has not read, and approves after a question');
  await become('Bob Brandt');
  await page.emulateMedia({ colorScheme: 'light' });
  assert.equal(await timeline.getByText('Only visible to you').count(), 0, 'what was for Alice is not for Bob');
  await card.getByRole('button', { name: 'Approve' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Roll back payments in prod-eu?').waitFor();
  await shot('05-confirm-light');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.ok(await card.getByRole('button', { name: 'Approve' }).evaluate((el) => el === document.activeElement), 'the focus comes back');
  await card.getByRole('button', { name: 'Approve' }).click();
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await card.locator('.b-section', { hasText: 'Approved by' }).waitFor();
  assert.deepEqual(await card.getByRole('button', { name: 'Approve' }).evaluateAll((all) => all.map((b) => b.outerHTML)), [], 'the card was changed in place');

  step('the thread opens, takes a reply, and no slash command');
  await card.locator('.thread-link').click();
  const thread = page.locator('#thread');
  await thread.getByText('Plan p-17 runs.').waitFor();
  const reply = page.locator('#composer-thread');
  assert.ok(await reply.evaluate((el) => el === document.activeElement), 'the reply box has the focus');
  await reply.pressSequentially('Thanks, watching it');
  await reply.press('Enter');
  await thread.locator('.message', { hasText: 'Thanks, watching it' }).waitFor();
  await reply.pressSequentially('/stuck help');
  await reply.press('Enter');
  await thread.getByText('not supported in threads').waitFor();
  await card.getByText('2 replies').waitFor();
  await shot('06-thread-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await shot('07-thread-dark');

  step('Escape closes the thread');
  await reply.press('Escape');
  await thread.waitFor({ state: 'hidden' });

  step('a reaction by keyboard alone');
  await timeline.focus();
  await page.keyboard.press('ArrowUp');
  assert.ok(await card.evaluate((el) => el === document.activeElement), 'the arrow keys go from message to message');
  await until(async () => {
    await page.keyboard.press('Tab');
    return card.locator('[data-key="t/eyes"]').evaluate((el) => el === document.activeElement);
  });
  await page.keyboard.press('Enter');
  await card.locator('.reaction.mine').waitFor();
  assert.ok(await card.locator('[data-key="t/eyes"]').evaluate((el) => el === document.activeElement), 'the focus stays');

  step('the keyboard alone: switch to Carol, go to a channel, write, hear the bot');
  await page.locator('#switch').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await shot('08-people-dark');
  await page.keyboard.press('Enter');
  await page.locator('#switch .name', { hasText: 'Carol Chen' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.locator('#top h2', { hasText: 'incidents' }).waitFor();
  await main.focus();
  await page.keyboard.type('@stuckb');
  await page.getByRole('option', { name: 'Stuckbot' }).waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.type('hello');
  await page.keyboard.press('Enter');
  await timeline.locator('.thread-link', { hasText: '1 reply' }).waitFor();

  step('Bob sees that #incidents has something new');
  await become('Bob Brandt');
  await page.locator('[data-channel="C0RELEASES"]').click();
  await page.locator('#top h2', { hasText: 'releases' }).waitFor();
  await become('Dave Duarte');
  await page.locator('[data-channel="C0INCIDENTS"].unread').waitFor();
  await shot('09-unread-dark');

  step('the guest sees one channel, the deactivated cannot act, the archived channel cannot be written to');
  await become('Mallory Marsh');
  assert.equal(await page.locator('.channel').count(), 1);
  await become('Eve Eriksen');
  await page.getByText('This account can look around here').waitFor();
  await become('Alice Ames');
  await page.locator('[data-channel="C0OLD"]').click();
  await page.getByText('This channel is archived').waitFor();
  await page.emulateMedia({ colorScheme: 'light' });
  await shot('10-archived-light');

  step('text that would be more than text stays text');
  await page.locator('[data-channel="C0RELEASES"]').click();
  await main.fill('/stuck hostile');
  await main.press('Enter');
  const bad = timeline.locator('.message', { hasText: 'onerror' });
  await bad.waitFor();
  assert.equal(await bad.locator('img, script, a[href^="javascript"], a[href^="data"]').count(), 0);
  assert.ok((await bad.innerText()).includes('<script>alert(1)</script>'));

  step('an edited message says so');
  await main.fill('/stuck edit');
  await main.press('Enter');
  await timeline.locator('.message', { hasText: 'first (edited)' }).waitFor();

  step('the stream breaks and comes back, and nothing is missed');
  cutting = true;
  await main.fill('/stuck cut');
  await main.press('Enter');
  await timeline.getByText('after the cut').waitFor();
  assert.equal(await timeline.getByText('after the cut').count(), 1);
  await main.waitFor();
  cutting = false;

  step('a permalink leads to its message');
  const ts = await card.getAttribute('data-ts');
  await page.goto(`${url}/archives/C0RELEASES/p${ts.replace('.', '')}`);
  await card.waitFor();
  assert.ok(await card.evaluate((el) => el.classList.contains('target')));
  await page.locator('[data-channel="C0OLD"]').click();

  step('a small screen has the channels behind a button');
  await page.setViewportSize({ width: 420, height: 860 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.getByRole('button', { name: 'Channels and people' }).click();
  await shot('11-small-menu-dark');
  await page.locator('[data-channel="C0RELEASES"]').click();
  await card.waitFor();
  await shot('12-small-dark');

  assert.deepEqual(problems, [], 'nothing went wrong on the page');
  console.log('all well');
} catch (error) {
  await shot('failed');
  console.log(problems.join('\n'));
  console.error(error);
  process.exitCode = 1;
} finally {
  await browser.close();
}
