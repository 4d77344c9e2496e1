import { execFileSync } from 'node:child_process';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { pngOf } from '#tests/support/pictures.ts';
import { faultsOf, XSS } from '#tests/support/xss.ts';
import { accessible, call, expect, ready, test, watch, type Installation } from './fixtures.ts';

/** A player on a phone and support at a desk, side by side (behaviour 7.3). */
const PASSPHRASE = 'plough lantern meadow seven';
const DESK = { width: 1440, height: 900 };
const PHONE = { width: 360, height: 780 };

interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly complaints: string[];
}

async function visitor(browser: Browser, host: Installation, viewport: { width: number; height: number }) {
  const context = await browser.newContext({ baseURL: host.url, viewport });
  const page = await context.newPage();
  return { context, page, complaints: watch(page) };
}

/** An owner made by the command line, logged in. */
async function logInOwner({ page }: Visitor, host: Installation, name = 'oana'): Promise<void> {
  const env = { PATH: process.env.PATH ?? '', DATA_DIR: host.dataDir, LOG_LEVEL: 'error' };
  const facts = ['--username', name, '--email', `${name}@example.com`, '--role', 'owner', '--password-stdin'];
  execFileSync(host.binary, ['user', 'create', ...facts], { env, input: PASSPHRASE });
  await page.goto('/auth/login');
  await call(page, 'POST', '/api/auth/login', { login: name, password: PASSPHRASE });
}

async function register({ page }: Visitor): Promise<void> {
  await page.goto('/auth/login');
  await call(page, 'POST', '/api/auth/register', {
    username: 'mirela',
    email: 'mirela@example.com',
    password: PASSPHRASE,
    first_name: 'Mirela',
    last_name: 'Vega',
    terms: true,
  });
}

/** Nothing wrong by axe's rules, nothing that sticks out sideways, and no complaint of the page. */
async function expectSound(who: Visitor, what: string): Promise<void> {
  await accessible(who.page, what);
  const over = await who.page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(over, `${what}: nothing sticks out sideways`).toBeLessThanOrEqual(0);
  expect(who.complaints.splice(0), what).toEqual([]);
}

async function open({ page }: Visitor, path: string): Promise<void> {
  await page.goto(path);
  await ready(page);
}

test('a player and support talk about a server that nobody can join', async ({ browser, host }) => {
  const [staff, player] = [await visitor(browser, host, DESK), await visitor(browser, host, PHONE)];
  await logInOwner(staff, host);
  await register(player);
  const department = { description: 'Servers and the panel', hours: 'Mon–Sat, 10:00–22:00', enabled: true };
  for (const [position, name] of ['Technical', 'Billing'].entries())
    await call(staff.page, 'POST', '/api/admin/departments', { ...department, name, position });

  await test.step('the player opens a ticket, whose draft survives a reload', async () => {
    await open(player, '/ticket');
    await expectSound(player, 'no tickets yet');
    await player.page.getByRole('link', { name: 'New ticket' }).click();
    const { page } = player;
    const subject = page.getByLabel('Subject');
    const message = page.getByRole('textbox', { name: 'Message' });
    await page.getByRole('radio', { name: /Technical/ }).check({ force: true });
    await page.getByLabel('Priority').selectOption('low');
    await subject.fill('Cannot join on port 25588');
    await message.fill('Since **16:50** nobody can join.\n\n`connection refused`');
    const log = { name: 'first.log', mimeType: 'text/plain', buffer: Buffer.from('bind failed') };
    await page.locator('input[type=file]').setInputFiles([log]);
    const attached = page.getByRole('list', { name: 'Files' }).getByRole('button', { name: 'Remove first.log' });
    await expect(attached).toBeVisible();
    await expect(page.getByRole('progressbar')).toHaveCount(0);
    const expectKept = async (): Promise<void> => {
      await expect(page.getByRole('radio', { name: /Technical/ })).toBeChecked();
      await expect(page.getByLabel('Priority')).toHaveValue('low');
      await expect(subject).toHaveValue('Cannot join on port 25588');
      await expect(message).toHaveValue(/connection refused/);
      await expect(attached).toBeVisible();
    };
    await page.reload();
    await ready(page);
    await expectKept();
    await page.getByRole('button', { name: 'Preview' }).click();
    await expect(page.getByRole('region', { name: 'Preview' }).locator('strong')).toHaveText('16:50');
    await expectSound(player, 'a new ticket');
    await player.context.setOffline(true);
    await page.getByRole('button', { name: 'Open ticket' }).click();
    await expect(page.getByText(/Not sent: the server/)).toBeVisible();
    await expectKept();
    await player.context.setOffline(false);
    await expect(player.page.getByRole('heading', { name: 'Cannot join on port 25588' })).toBeVisible();
    // Requests that failed while the network was off; the last one is reported a moment later.
    player.complaints.splice(0);
    await expect(player.page.getByText('Waiting for support')).toBeVisible();
    await expectSound(player, 'an open ticket');
    await open(player, '/ticket');
    await expect(page.getByRole('link', { name: /Cannot join on port 25588/ }), 'it was opened once').toHaveCount(1);
    await open(player, '/ticket/create');
    await expect(subject, 'what was sent is no draft any more').toHaveValue('');
    await page.goBack();
    await page.getByRole('link', { name: /Cannot join on port 25588/ }).click();
    await expect(page.getByRole('heading', { name: 'Cannot join on port 25588' })).toBeVisible();
  });

  await test.step('support finds it in the inbox, notes something and answers; the player’s page shows the answer alone', async () => {
    await open(staff, '/mc-admin/tickets');
    await expectSound(staff, 'the inbox');
    await staff.page.getByRole('link', { name: 'Cannot join on port 25588' }).click();
    await ready(staff.page);
    await expect(staff.page.getByRole('heading', { name: 'Cannot join on port 25588' })).toBeVisible();
    await staff.page.getByText('Internal note', { exact: true }).click();
    await staff.page.getByRole('textbox', { name: 'Internal note' }).fill('Third case this week');
    await staff.page.getByRole('button', { name: 'Add note' }).click();
    await expect(staff.page.getByRole('log').getByText('Third case this week')).toBeVisible();
    await staff.page.getByText('Reply', { exact: true }).first().click();
    const field = staff.page.getByRole('textbox', { name: 'Reply' });
    await field.fill('Please set `server-port` to 25588.');
    await field.press('Control+Enter');
    await expect(player.page.getByRole('log').getByText('Please set')).toBeVisible();
    await expect(field).toHaveValue('');
    await expect(player.page.getByText('Third case this week')).toHaveCount(0);
    await expect(player.page.getByText(/Closes automatically on/)).toBeVisible();
    await expectSound(staff, 'a ticket of a user');
    await expectSound(player, 'an answered ticket');
  });

  await test.step('each sees that the other types, and that what they wrote was read', async () => {
    await expect(player.page.getByText('Read by support')).toBeVisible();
    await expect(staff.page.getByText('Read by mirela')).toBeVisible();
    await staff.page.getByRole('textbox', { name: 'Reply' }).fill('One moment');
    await expect(player.page.getByText('oana is typing…')).toBeVisible();
    await player.page.getByLabel('Your reply').fill('I');
    await expect(staff.page.getByText('mirela is typing…')).toBeVisible();
    await expectSound(player, 'support is typing');
    await staff.page.getByRole('textbox', { name: 'Reply' }).fill('');
    await expect(player.page.getByText('oana is typing…')).toHaveCount(0);
    await player.page.getByLabel('Your reply').fill('');
    await expect(staff.page.getByText('mirela is typing…')).toHaveCount(0);
  });

  await test.step('who of staff has begun an answer is seen by the others', async () => {
    const other = await visitor(browser, host, DESK);
    await logInOwner(other, host, 'dan');
    await open(other, new URL(staff.page.url()).pathname);
    const field = other.page.getByRole('textbox', { name: 'Reply' });
    await field.fill('I look into it');
    await expect(staff.page.getByText('dan is writing in this ticket too.')).toBeVisible();
    await expectSound(staff, 'an answer that another has begun as well');
    await field.fill('');
    await expect(staff.page.getByText('dan is writing in this ticket too.')).toHaveCount(0);
    await other.context.close();
  });

  await test.step('files are chosen, dropped and pasted; what is no picture and no text is refused; support reads them', async () => {
    const { page } = player;
    const picture = { name: 'Screenshot.png', mimeType: 'image/png', buffer: Buffer.from(pngOf(640, 400)) };
    const program = { name: 'mod.jar', mimeType: 'application/java-archive', buffer: Buffer.from([80, 75, 3, 4, 0]) };
    await page.locator('input[type=file]').setInputFiles([picture, program]);
    const attached = page.getByRole('list', { name: 'Files' });
    await expect(attached.getByText(/Only pictures/)).toBeVisible();
    await attached.getByRole('button', { name: 'Remove mod.jar' }).click();
    await page.getByLabel('Your reply').evaluate((field) => {
      const give = (name: string, text: string) => {
        const data = new DataTransfer();
        data.items.add(new File([text], name, { type: 'text/plain' }));
        return data;
      };
      const bubbles = true;
      field.dispatchEvent(new DragEvent('drop', { bubbles, dataTransfer: give('latest.log', 'bind failed') }));
      field.dispatchEvent(new ClipboardEvent('paste', { bubbles, clipboardData: give('server.properties', 'port=1') }));
    });
    await expect(attached.getByRole('button', { name: /^Remove / })).toHaveCount(3);
    await expect(attached.getByRole('progressbar')).toHaveCount(0);
    await page.reload();
    await ready(page);
    await expect(attached.getByRole('button', { name: /^Remove / }), 'a draft keeps its files').toHaveCount(3);
    await expectSound(player, 'a message with files');
    await page.getByRole('button', { name: 'Send' }).click();
    const shown = page.getByRole('log').getByRole('img', { name: 'Screenshot.webp' });
    await expect(shown).toBeVisible();
    await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(480);
    await expect(staff.page.getByRole('log').getByRole('img', { name: 'Screenshot.webp' })).toBeVisible();
    const [saved] = await Promise.all([
      staff.page.waitForEvent('download'),
      staff.page
        .getByRole('log')
        .getByRole('link', { name: /latest\.log/ })
        .click(),
    ]);
    expect(saved.suggestedFilename()).toBe('latest.log');
    await expectSound(staff, 'a conversation with files');
  });

  await test.step('a message that could not be sent says so and is sent once the line is back', async () => {
    await player.page.getByLabel('Your reply').fill('That was it, thank you.');
    await player.page.reload();
    await ready(player.page);
    await expect(player.page.getByLabel('Your reply'), 'a draft survives a reload').toHaveValue(
      'That was it, thank you.',
    );
    await player.context.setOffline(true);
    await player.page.getByRole('button', { name: 'Send' }).click();
    await expect(player.page.getByText(/Not sent: the server/)).toBeVisible();
    await player.context.setOffline(false);
    await expect(staff.page.getByRole('log').getByText('That was it, thank you.')).toHaveCount(1);
    await expect(player.page.getByLabel('Your reply')).toHaveValue('');
    player.complaints.splice(0);
  });

  await test.step('the player closes it and opens it again', async () => {
    await player.page.getByRole('button', { name: 'Solved, close' }).click();
    await expect(player.page.getByText('This ticket is closed.', { exact: false })).toBeVisible();
    await expect(staff.page.getByText('mirela closed this ticket')).toBeVisible();
    await player.page.getByRole('radio', { name: 'Good', exact: true }).check({ force: true });
    await player.page.getByLabel(/What was good/).fill('Quick and friendly');
    await player.page.getByRole('button', { name: 'Rate' }).click();
    await expect(player.page.getByText(/You can change it until/)).toBeVisible();
    await expect(staff.page.getByText('Quick and friendly')).toBeVisible();
    await expectSound(player, 'a closed ticket');
    await expectSound(staff, 'a rated ticket');
    await player.page.getByRole('button', { name: 'Reopen' }).click();
    await expect(player.page.getByLabel('Your reply')).toBeVisible();
  });

  await test.step('support splits it, merges the two again, and blocks the sender; the player sees where it went', async () => {
    const { page } = staff;
    await page.getByText('Split off messages').click();
    await page.getByLabel('Subject of the new ticket').fill('Thanks');
    await page.getByRole('combobox', { name: /From this message on/ }).selectOption({ index: 1 });
    await page.getByRole('button', { name: 'Split', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Thanks' })).toBeVisible();
    await page.getByText('Merge into another ticket').click();
    await page.getByLabel('Ticket number').fill('1001');
    await page.getByRole('button', { name: 'Merge', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Cannot join on port 25588' })).toBeVisible();
    await expect(page.getByText('merged the ticket #1002 into this one')).toBeVisible();
    await page.getByText('Block sender').click();
    await page.getByLabel('Reason').fill('Only a test');
    await expectSound(staff, 'the seldom things');
    await page.getByRole('button', { name: 'Block', exact: true }).click();
    await expect(page.getByText('Only a test')).toBeVisible();
    await open(player, '/ticket');
    await player.page.getByRole('link', { name: /Thanks/ }).click();
    await expect(player.page.getByText('This ticket was merged with another one.', { exact: false })).toBeVisible();
    await expectSound(player, 'a merged ticket');
    await player.page.getByRole('link', { name: '#1001' }).click();
    await expect(player.page.getByRole('heading', { name: 'Cannot join on port 25588' })).toBeVisible();
    await open(player, '/ticket/create');
    await expect(player.page.getByText(/has blocked you from opening tickets/)).toBeVisible();
  });
});

test('T41 nothing that is known to smuggle a script through Markdown runs in a page', async ({ browser, host }) => {
  const [staff, player] = [await visitor(browser, host, DESK), await visitor(browser, host, PHONE)];
  for (const { context } of [staff, player])
    await context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', ({ blockedURI, violatedDirective }) => {
        Object.assign(window, { stopped: `${violatedDirective} ${blockedURI}` });
      });
    });
  await staff.page.goto('/auth/login');
  await call(staff.page, 'POST', '/api/auth/login', { login: 'oana', password: PASSPHRASE });
  await player.page.goto('/auth/login');
  await call(player.page, 'POST', '/api/auth/register', {
    username: 'tobi',
    email: 'tobi@example.com',
    password: PASSPHRASE,
    first_name: 'Tobi',
    last_name: 'Vega',
    terms: true,
  });
  const { departments } = await call<{ departments: { id: string }[] }>(player.page, 'GET', '/api/tickets/form');
  const ticket = { department: departments[0]?.id, priority: 'normal', subject: XSS[7], text: XSS[0] };
  const { id } = await call<{ id: string }>(player.page, 'POST', '/api/tickets', ticket);
  // A few in each message: what is left open by one shall not hide all others.
  for (let at = 0; at < XSS.length; at += 6)
    await call(staff.page, 'POST', `/api/admin/tickets/${id}/messages`, {
      text: XSS.slice(at, at + 6).join('\n\n'),
      internal: false,
      status: 'answered',
      seen: 1_000_000,
    });
  const announcement = await call<{ id: string }>(staff.page, 'POST', '/api/admin/announcements', {
    texts: [{ locale: 'en', title: 'Hello', summary: '', body: XSS.join('\n\n') }],
    tags: [],
    picture: '',
    audience: 'everyone',
    targets: [],
    pinned: false,
    urgent: false,
    notifies: false,
    publish_at: 'now',
    end_at: null,
  });

  /** What a page has that it may not: elements that no text may have, a script that ran, one that was stopped. */
  const faults = async ({ page }: Visitor) => {
    const found = await page.evaluate(() => ({
      hit: 'hit' in window,
      stopped: 'stopped' in window ? String(window.stopped) : null,
      elements: [...document.querySelectorAll('.sp-prose *')].map((element) => ({
        tag: element.localName,
        attributes: [...element.attributes].map(({ name, value }): [string, string] => [name, value]),
      })),
    }));
    return {
      hit: found.hit,
      stopped: found.stopped,
      faults: faultsOf(found.elements),
      some: found.elements.length > 20,
    };
  };
  const none = { hit: false, stopped: null, faults: [], some: true };

  await test.step('in what the server renders', async () => {
    for (const path of [`/ticket/${id}`, `/announcements/${announcement.id}`]) {
      await open(player, path);
      expect(await faults(player), path).toEqual(none);
    }
  });

  await test.step('in what the browser renders', async () => {
    await open(staff, '/mc-admin/tickets?view=all');
    await staff.page.getByRole('link', { name: XSS[7] ?? '' }).click();
    await expect(staff.page.getByRole('log')).toBeVisible();
    expect(await faults(staff)).toEqual(none);
    await staff.page.getByRole('textbox', { name: 'Reply' }).fill(XSS.join('\n\n').slice(0, 10_000));
    await staff.page.getByRole('button', { name: 'Preview' }).click();
    await expect(staff.page.getByRole('region', { name: 'Preview' }).locator('p').first()).toBeVisible();
    expect(await faults(staff)).toEqual(none);
  });
});
