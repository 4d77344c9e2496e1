import { startDiscord } from '#tests/support/discord/stand-in.ts';
import { BOT } from '#tests/support/discord/world.ts';
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
    await expect(page.getByRole('table').getByText('Delivered')).toBeVisible();
    expect(channel.messages).toHaveLength(1);
    expect(await page.content()).not.toContain(channel.token);
    await expectWhole(page, staff.complaints, 'a channel with a delivery');
    await page.getByRole('link', { name: 'webhook.test' }).click();
    await expect(page.getByRole('navigation', { name: 'Breadcrumb' }).getByText('Team channel')).toBeVisible();
    await expectWhole(page, staff.complaints, 'a delivery to a channel');
  });

  await test.step('staff set the bot of their server, and choose which role stands for what', async () => {
    const guild = discord.guild('Blockwell', 'blockwell');
    discord.inviteBot(guild.id, 10);
    for (const [name, position] of [
      ['Verified', 1],
      ['VIP of the survival server', 2],
      ['Admin', 20],
    ] as const)
      discord.role(guild.id, name, position);
    await page.goto('/mc-admin/plugins/discord/config');
    await expect(page.getByText('Enter the server ID and a bot token above')).toBeVisible();
    await page.getByLabel('Discord server ID').fill('blockwell');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByRole('link', { name: 'Discord server ID' })).toBeVisible();
    staff.complaints.splice(0);
    await page.getByLabel('Discord server ID').fill(guild.id);
    await page.getByLabel('Bot token').fill('not-the-token');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByText('Discord has refused the bot token')).toBeVisible();
    await expectWhole(page, staff.complaints, 'a bot that is refused');
    await page.getByLabel('Bot token').fill(BOT.token);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByText('Working')).toBeVisible();
    await page.getByLabel('Linked Discord').selectOption({ label: 'Verified' });
    await page.getByLabel('Role: VIP').selectOption({ label: 'VIP of the survival server' });
    const isSave = (each: { url(): string; method(): string }) =>
      each.url().endsWith('/api/admin/discord-roles') && each.method() === 'PUT';
    const saving = page.waitForResponse((response) => isSave(response.request()));
    await page.getByRole('button', { name: 'Save roles' }).click();
    expect((await saving).status()).toBe(200);
    await expect(page.getByText('Saved.')).toBeVisible();
    await page.reload();
    await expect(page.getByLabel('Linked Discord')).toHaveValue(/\d+/);
    await page.getByRole('button', { name: 'Check now' }).click();
    await expect(page.getByText('Checked.')).toBeVisible();
    expect(await page.content()).not.toContain(BOT.token);
    await expectWhole(page, staff.complaints, 'roles in Discord');
  });

  await test.step('everything fits on a phone', async () => {
    await page.setViewportSize(PHONE.viewport);
    for (const path of [
      '/mc-admin/webhooks',
      '/mc-admin/webhooks/create?kind=discord',
      '/mc-admin/plugins',
      '/mc-admin/plugins/discord/config',
    ]) {
      await page.goto(path);
      await expectWhole(page, staff.complaints, `${path} on a phone`);
    }
  });
  await discord.close();
});
