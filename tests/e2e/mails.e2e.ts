import type { Page } from '@playwright/test';
import { accessible, call, expect, expectWhole, setupCode, test, watch } from './fixtures.ts';

test.use({ file: 'mails' });

test('T47 an owner changes what a mail of the product says, sees how it looks, and reads its fate in the outbox', async ({
  browser,
  host,
}) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: host.url });
  const page: Page = await context.newPage();
  const complaints = watch(page);
  const sound = (what: string) => expectWhole(page, complaints, what);
  await page.goto('/auth/login');
  await call(page, 'POST', '/api/auth/register', {
    username: 'mirela',
    email: 'mirela@example.com',
    password: 'plough lantern meadow seven',
    first_name: 'Mirela',
    last_name: 'Vega',
    terms: true,
    setup: setupCode(host),
  });
  await page.goto('/mc-admin/mail-templates');
  await sound('the templates');
  await page.getByRole('link', { name: 'Message from staff' }).click();
  await expect(page.getByRole('textbox', { name: 'Text of block 2' })).toHaveValue('{{text}}');
  const mail = page.frameLocator('iframe[title="Preview"]');
  await expect(mail.getByText('Hi Mirela,')).toBeVisible();

  // A variable that the mail has not is said at once, and refused.
  const greeting = page.getByRole('textbox', { name: 'Text of block 1' });
  await greeting.fill('Dear {{nickname}} <b>friend</b>,');
  await expect(page.getByText('This e-mail has no such variable: {{nickname}}')).toBeVisible();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('There’s no such variable in this e-mail.').first()).toBeVisible();
  await greeting.fill('Dear ');
  await page.getByRole('button', { name: '{{name}}' }).click();
  await expect(greeting).toHaveValue('Dear {{name}}');
  await expect(mail.getByText('Dear Mirela')).toBeVisible();
  await page.getByLabel('User', { exact: true }).fill('nobody');
  await expect(page.getByText('There’s no such user.')).toBeVisible();
  await page.getByLabel('User', { exact: true }).fill('mirela@example.com');
  await expect(page.getByText('There’s no such user.')).toHaveCount(0);
  await page.getByText('Dark', { exact: true }).click();
  await expect(mail.getByText('Dear Mirela')).toBeVisible();
  await sound('the editor with a preview in dark mode');
  await page.getByRole('button', { name: 'Add block' }).click();
  await page.getByRole('combobox', { name: 'Kind of block 4' }).selectOption('note');
  await page.getByRole('textbox', { name: 'Text of block 4' }).fill('Small <script>print</script>');
  await page.getByRole('button', { name: 'Move block 4 up' }).click();
  await expect(page.getByText('Small <script>print</script>').first()).toBeVisible();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Saved. E-mails from now on say this.')).toBeVisible();
  await expect(page.getByText('Your own version', { exact: true })).toBeVisible();
  await expect(greeting).toHaveValue('Dear {{name}}');
  await expect(page.getByText('Not saved yet')).toHaveCount(0);
  await page.setViewportSize({ width: 360, height: 800 });
  await sound('the saved template on a phone');
  await page.setViewportSize({ width: 1440, height: 900 });

  // What is sent says it. Without a mail server it stays in the outbox, whole for the owner.
  const { user_info: me } = await call<{ user_info: { id: string } }>(page, 'GET', '/api/user/session');
  await call(page, 'POST', '/api/admin/users/write', { ids: [me.id], subject: 'Friday', text: 'We move house.' });
  await page.goto('/mc-admin/mails');
  await sound('the outbox');
  await page.getByRole('link', { name: 'Friday' }).click();
  await expect(mail.getByText('Dear Mirela')).toBeVisible();
  await expect(mail.getByText('Small <script>print</script>')).toBeVisible();
  await sound('a mail');

  await page.goto('/mc-admin/mail-templates');
  await page.getByRole('link', { name: 'Reset: Message from staff' }).click();
  await expect(page.getByText('Go back to the original text?')).toBeVisible();
  await sound('the reset');
  await page.getByRole('button', { name: 'Reset', exact: true }).click();
  await expect(page.getByText('The original text is back.')).toBeVisible();
  await context.close();
});

test('an owner writes news of their own, and a user turns such mails off in the account', async ({ browser, host }) => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: host.url });
  const page = await context.newPage();
  await page.goto('/auth/login');
  await page.getByLabel('Username or e-mail').fill('mirela');
  await page.getByRole('textbox', { name: 'Password' }).fill('plough lantern meadow seven');
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await expect(page).toHaveURL(/dashboard/);
  await page.goto('/mc-admin/mail-templates/create');
  await page.getByLabel('Name').fill('Winter event');
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByLabel('Subject').fill('Snow for {{name}}');
  await page.getByRole('textbox', { name: 'Text of block 1' }).fill('It snows on {{app}}.');
  await expect(page.frameLocator('iframe[title="Preview"]').getByText('It snows on Spawnpoint.')).toBeVisible();
  await accessible(page, 'the editor of an own mail');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Saved. E-mails from now on say this.')).toBeVisible();
  await page.getByRole('link', { name: 'Send to users' }).click();
  await expect(page.getByText('No mail server is set up')).toBeVisible();
  await accessible(page, 'sending without a mail server');
  await page.goto('/account?tab=mails');
  await page.getByRole('checkbox', { name: 'News of this host' }).uncheck();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Saved.', { exact: true })).toBeVisible();
  await expect(page.getByRole('checkbox', { name: 'News of this host' })).not.toBeChecked();
  await accessible(page, 'the mails that a user wants');
  await context.close();
});

test('without scripts a mail is written, looked at as text, and saved', async ({ browser, host }) => {
  const context = await browser.newContext({ baseURL: host.url, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto('/auth/login');
  await page.getByLabel('Username or e-mail').fill('mirela');
  await page.getByRole('textbox', { name: 'Password' }).fill('plough lantern meadow seven');
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.goto('/mc-admin/mail-templates/serverReady/edit');
  await page.getByRole('textbox', { name: 'Text of block 1' }).fill('Good news, {{name}}!');
  await page.getByRole('textbox', { name: 'Text of block 4' }).fill('See you there.');
  await page.getByRole('button', { name: 'Preview' }).click();
  await expect(page.getByText('Good news, Mirela!')).toBeVisible();
  await page.goto('/mc-admin/mail-templates/serverReady/edit');
  await page.getByRole('textbox', { name: 'Text of block 1' }).fill('Good news, {{name}}!');
  await page.getByRole('textbox', { name: 'Text of block 4' }).fill('See you there.');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Saved. E-mails from now on say this.')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Text of block 4' })).toHaveValue('See you there.');
  await context.close();
});
