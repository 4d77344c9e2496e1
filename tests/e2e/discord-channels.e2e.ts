import { startDiscord } from '#tests/support/discord/stand-in.ts';
import { configure, DESKTOP, expect, expectWhole, openVisitor, PHONE, setupCode, signUp, test } from './fixtures.ts';

test('staff add a channel of Discord, test it, and read that its plugin is off', async ({ browser, host }) => {
  test.slow();
  const discord = await startDiscord({ startMs: Date.now(), redirects: [] });
  await configure(host, discord.settings);
  const channel = discord.webhook();
  const staff = await openVisitor(browser, host, DESKTOP);
  const { page } = staff;
  await signUp(page, 'petra', setupCode(host));

  await test.step('the form takes no other address than one of Discord', async () => {
    await page.goto('/mc-admin/webhooks');
    await page.getByRole('link', { name: 'New Discord channel' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Team channel');
    await page
      .getByRole('textbox', { name: 'Webhook URL of the channel' })
      .fill('https://example.com/api/webhooks/1/x');
    await page.getByRole('checkbox', { name: 'user.*' }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Paste the whole webhook URL').first()).toBeVisible();
    staff.complaints.splice(0);
    await expectWhole(page, staff.complaints, 'the form with an error');
    await page.getByRole('textbox', { name: 'Webhook URL of the channel' }).fill(channel.url);
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('The channel is ready.')).toBeVisible();
    await page.getByRole('link', { name: 'Show webhook' }).click();
  });

  await test.step('it says that the plugin is off until staff turn it on', async () => {
    await expect(page.getByText('The Discord notifier is off.')).toBeVisible();
    await expectWhole(page, staff.complaints, 'a channel while the plugin is off');
    await page.getByRole('link', { name: 'Go to plugins' }).click();
    await page.getByRole('button', { name: 'Turn on Discord notifier' }).click();
    await expect(page.getByText('Discord notifier is on.')).toBeVisible();
    await page.goto('/mc-admin/plugins/discord/config');
    await expect(page.getByText('Language', { exact: true })).toBeVisible();
    await expectWhole(page, staff.complaints, 'the settings of the notifier');
  });

  await test.step('a test is posted, and the page shows nothing of the token', async () => {
    await page.goto('/mc-admin/webhooks');
    await page.getByRole('link', { name: 'Team channel' }).click();
    await page.getByRole('button', { name: 'Send test' }).click();
    await expect(page.getByRole('table').getByText('Delivered')).toBeVisible({ timeout: 20_000 });
    expect(channel.messages).toHaveLength(1);
    expect(await page.content()).not.toContain(channel.token);
    await expectWhole(page, staff.complaints, 'a channel with a delivery');
    await page.getByRole('link', { name: 'webhook.test' }).click();
    await expect(page.getByRole('navigation', { name: 'Breadcrumb' }).getByText('Team channel')).toBeVisible();
    await expectWhole(page, staff.complaints, 'a delivery to a channel');
  });

  await test.step('everything fits on a phone', async () => {
    await page.setViewportSize(PHONE.viewport);
    for (const path of ['/mc-admin/webhooks', '/mc-admin/webhooks/create?kind=discord', '/mc-admin/plugins']) {
      await page.goto(path);
      await expectWhole(page, staff.complaints, `${path} on a phone`);
    }
  });
  await discord.close();
});
