import { Database } from 'bun:sqlite';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { accessible, call, expect, ready, test, watch } from './fixtures.ts';

/**
 * Support works through the inbox with keys, several tickets at once, canned replies, words and reports (behaviour
 * 7.3).
 */
const PASSPHRASE = 'plough lantern meadow seven';

/** Adds tickets that have waited longer than all others, the first of them longest. */
function addTickets(dataDir: string, count: number): void {
  const database = new Database(join(dataDir, 'spawnpoint.db'));
  database.run('PRAGMA busy_timeout = 5000');
  database.run(
    `INSERT INTO tickets (id, number, user_id, department_id, subject, priority, status, messages, answered_seq, read_seq,
       created_ms, since_ms, updated_ms)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     SELECT printf('0199a000-0000-7000-8000-%012x', i), 5000 + i, user_id, department_id, 'Waiting ' || i, 'normal', 'open',
       1, 0, 0, i * 1000, i * 1000, i * 1000 FROM n, (SELECT user_id, department_id FROM tickets LIMIT 1)`,
    [count],
  );
  database.close();
}

test('support sorts tickets by keys, changes several, answers with a canned reply and finds words', async ({
  browser,
  host,
}) => {
  const env = { PATH: process.env.PATH ?? '', DATA_DIR: host.dataDir, LOG_LEVEL: 'error' };
  const facts = ['--username', 'oana', '--email', 'oana@example.com', '--role', 'owner', '--password-stdin'];
  execFileSync(host.binary, ['user', 'create', ...facts], { env, input: PASSPHRASE });
  const context = await browser.newContext({ baseURL: host.url, viewport: { width: 1440, height: 900 } });
  const player = await (await browser.newContext({ baseURL: host.url })).newPage();
  const page = await context.newPage();
  const complaints = watch(page);
  await page.goto('/auth/login');
  await call(page, 'POST', '/api/auth/login', { login: 'oana', password: PASSPHRASE });
  const { id: department } = await call<{ id: string }>(page, 'POST', '/api/admin/departments', {
    name: 'Technical',
    description: '',
    hours: '',
    position: 0,
    enabled: true,
  });
  await call(page, 'POST', '/api/admin/canned-replies', {
    name: 'Port',
    text: 'Hi {{user}}, set the port of #{{number}}.',
    position: 0,
    enabled: true,
  });
  await player.goto('/auth/login');
  await call(player, 'POST', '/api/auth/register', {
    username: 'mirela',
    email: 'mirela@example.com',
    password: PASSPHRASE,
    first_name: 'Mirela',
    last_name: 'Vega',
    terms: true,
  });
  for (const subject of ['Cannot join', 'Black screen', 'Lost world'])
    await call(player, 'POST', '/api/tickets', { department, priority: 'normal', subject, text: `About ${subject}` });

  await test.step('keys go from row to row and open each ticket beside the list; they select and change', async () => {
    await page.goto('/mc-admin/tickets');
    await ready(page);
    await accessible(page, 'the inbox');
    const current = page.getByRole('list', { name: 'Inbox' }).locator('[aria-current]');
    await page.keyboard.press('j');
    await expect(page.getByRole('heading', { name: 'Cannot join' })).toBeVisible();
    await expect(current).toHaveText('Cannot join');
    await page.keyboard.press('j');
    await expect(page.getByRole('heading', { name: 'Black screen' })).toBeVisible();
    await expect(current).toHaveText('Black screen');
    await accessible(page, 'a ticket beside the list');
    await page.reload();
    await ready(page);
    await expect(current, 'the address is that of the ticket').toHaveText('Black screen');
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await expect(current).toHaveText('Lost world');
    await page.keyboard.press('x');
    await page.getByRole('button', { name: 'Change …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change 2 tickets' });
    await dialog.getByLabel('Add tag').fill('Launch');
    await accessible(page, 'the change of several tickets');
    await dialog.getByRole('button', { name: 'Change' }).click();
    await expect(page.getByText('2 tickets changed')).toBeVisible();
    await page.getByRole('link', { name: 'launch' }).first().click();
    await expect(page.getByRole('link', { name: 'Cannot join' })).toHaveCount(0);
    await expect(page.getByRole('link', { name: 'Lost world' })).toBeVisible();
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
    await accessible(page, 'the shortcuts');
    await page.keyboard.press('Escape');
  });

  await test.step('a canned reply is filled in and sent, and a key closes the ticket', async () => {
    await page.getByRole('link', { name: 'Lost world' }).click();
    await ready(page);
    await expect(page.getByRole('heading', { name: 'Lost world' })).toBeVisible();
    await page.getByRole('button', { name: 'Canned reply' }).click();
    await accessible(page, 'the choice of a canned reply');
    await page.getByRole('button', { name: /^Port/ }).click();
    const field = page.getByRole('textbox', { name: 'Reply' });
    await expect(field).toHaveValue('Hi mirela, set the port of #1003.');
    await expect(field).toBeFocused();
    await field.press('Control+Enter');
    await expect(page.getByRole('log').getByText('set the port of #1003')).toBeVisible();
    await page.getByRole('heading', { name: 'Lost world' }).click();
    await page.keyboard.press('e');
    await expect(page.getByText('1 ticket changed')).toBeVisible();
    await accessible(page, 'a ticket beside its user');
    await page.keyboard.press('j');
    await expect(page.getByRole('heading', { name: 'Black screen' }), 'the next one of its list').toBeVisible();
  });

  await test.step('keys begin a note and an answer, and take the ticket', async () => {
    const title = page.getByRole('heading', { name: 'Black screen' });
    await page.keyboard.press('n');
    await expect(page.getByRole('textbox', { name: 'Internal note' })).toBeFocused();
    // In a field letters are letters.
    await page.keyboard.press('r');
    await expect(page.getByRole('textbox', { name: 'Internal note' })).toHaveValue('r');
    await page.keyboard.press('Backspace');
    await title.click();
    await page.keyboard.press('r');
    await expect(page.getByRole('textbox', { name: 'Reply' })).toBeFocused();
    await title.click();
    await page.keyboard.press('a');
    await expect(page.getByLabel('Assigned to').locator('option:checked')).toHaveText('oana');
  });

  await test.step('a narrow window shows a ticket alone; its keys go through the list it was opened from', async () => {
    await page.setViewportSize({ width: 1024, height: 800 });
    await page.goto('/mc-admin/tickets');
    await ready(page);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await expect(page.getByRole('link', { name: 'Black screen' })).toBeFocused();
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Cannot join' })).toBeVisible();
    await expect(page.getByRole('list', { name: 'Inbox' })).toHaveCount(0);
    await page.keyboard.press('j');
    await expect(page.getByRole('heading', { name: 'Black screen' })).toBeVisible();
    await page.setViewportSize({ width: 1440, height: 900 });
    const list = page.getByRole('list', { name: 'Inbox' });
    await expect(list.getByRole('link', { name: 'Black screen' }), 'a wider one has the list').toBeVisible();
    await page.keyboard.press('e');
    await expect(list.getByRole('link', { name: 'Black screen' }), 'what is closed leaves its list').toHaveCount(0);
    await page.keyboard.press('k');
    await expect(page.getByRole('heading', { name: 'Cannot join' }), 'what was before it').toBeVisible();
  });

  await test.step('keys go on over the end of a page, and back', async () => {
    addTickets(host.dataDir, 30);
    await page.goto('/mc-admin/tickets');
    await ready(page);
    const current = page.getByRole('list', { name: 'Inbox' }).locator('[aria-current]');
    for (let at = 1; at <= 27; at += 1) {
      await page.keyboard.press('j');
      await expect(page.getByRole('heading', { name: `Waiting ${at}`, exact: true })).toBeVisible();
    }
    await expect(current).toHaveText('Waiting 27');
    await expect(page).toHaveURL(/after=/);
    for (const at of [26, 25]) {
      await page.keyboard.press('k');
      await expect(page.getByRole('heading', { name: `Waiting ${at}`, exact: true })).toBeVisible();
    }
    await expect(current).toHaveText('Waiting 25');
    await page.setViewportSize({ width: 1024, height: 800 });
    await page.goto('/mc-admin/tickets');
    await ready(page);
    for (let at = 1; at <= 26; at += 1) {
      await page.keyboard.press('j');
      await expect(page.getByRole('link', { name: `Waiting ${at}`, exact: true })).toBeFocused();
    }
    await page.keyboard.press('k');
    await expect(page.getByRole('link', { name: 'Waiting 25', exact: true })).toBeFocused();
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  await test.step('words find the ticket whatever its state, and the reports count it', async () => {
    await page.goto('/mc-admin/tickets');
    await ready(page);
    await page.keyboard.press('/');
    await page.keyboard.type('the port of');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('link', { name: 'Lost world' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Black screen' })).toHaveCount(0);
    await page.goto('/mc-admin/tickets/reports');
    await ready(page);
    await expect(page.getByRole('row', { name: /Technical 3 1 2/ })).toBeVisible();
    await accessible(page, 'the reports');
  });
  expect(complaints).toEqual([]);
});
