import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { outsideEvents } from '#server/modules/events/index.ts';
import { discordMessage } from '#server/webhooks/discord-message.ts';
import { discordTexts } from '#server/webhooks/discord-texts.ts';
import { LOCALES } from '#shared/i18n/locales.ts';
import { HOUR, MINUTE, SECOND } from '#shared/time.ts';
import { emitAdjustment } from '#tests/support/adjustment.ts';
import { codeOf } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { FAULTS, startDiscord, type DiscordStandIn } from '#tests/support/discord/stand-in.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 8.8: the Discord notifier.

setDefaultTimeout(300_000);

describe.each(ENGINES)('channels of Discord on %s', (engine) => {
  let h: Harness;
  let staff: Person;
  let discord: DiscordStandIn;
  let channel: ReturnType<DiscordStandIn['webhook']>;
  beforeAll(async () => {
    h = await openHarness({ engine });
    staff = await h.person('petra', { permissions: ['admin.plugins.list', 'admin.plugins.edit'] });
    discord = await startDiscord({ startMs: h.clock.now(), redirects: [] });
    await h.set({ ...discord.settings, discord_timeout_ms: 500 });
    await turn(true);
  });
  afterAll(async () => {
    await discord.close();
    await h.close();
  });
  beforeEach(async () => {
    discord.clearFaults();
    for (const { id } of (await staff.api.adminWebhooks.list()).rows)
      await staff.api.adminWebhooks.remove({ params: { id } });
    await pass(HOUR);
    channel = discord.webhook();
  });

  const turn = (on: boolean) => staff.api.adminPlugins.setOn({ params: { identifier: 'discord' }, body: { on } });
  const input = (url = channel.url, events: string[] = ['credits.adjusted']) => ({
    kind: 'discord' as const,
    name: 'Team channel',
    url,
    events,
    ordered: false,
    enabled: true,
  });
  const add = (url?: string) => staff.api.adminWebhooks.create({ body: input(url) });
  const get = async (id: string) => (await staff.api.adminWebhooks.get({ params: { id } })).webhook;
  const save = (id: string, url: string, revision = 1) =>
    staff.api.adminWebhooks.save({ params: { id }, body: { webhook: input(url), revision } });
  const adjust = (amount: number) => emitAdjustment(h, 'u1', amount);
  const pass = async (ms: number) => {
    discord.setNow(h.clock.advance(ms));
    const now = h.clock.now();
    await h.db.sql('UPDATE sessions SET seen_ms = ?, expires_ms = ? RETURNING id', [now, now + 900 * HOUR]);
    await h.host.services.webhooks.sweep();
    await h.host.runner.runDue();
  };
  const titles = () =>
    channel.messages.map((message) => (message.embeds as { title: string; fields?: unknown }[])[0]?.title);

  test('an event is posted in the language of the plugin, with its numbers, a link, and no names', async () => {
    const { id, secret } = await add();
    expect(secret).toBe('');
    const { revision } = await staff.api.adminPlugins.get({ params: { identifier: 'discord' } });
    await staff.api.adminPlugins.configure({
      params: { identifier: 'discord' },
      body: { values: { language: 'de' }, revision },
    });
    await adjust(1250);
    await pass(0);
    expect(channel.messages).toEqual([
      {
        allowed_mentions: { parse: [] },
        embeds: [
          {
            title: 'Credits vom Team geändert',
            color: 0xeab308,
            timestamp: new Date(h.clock.now()).toISOString(),
            footer: { text: 'Spawnpoint' },
            fields: [{ name: 'Credits', value: '1.250', inline: true }],
            url: `${h.host.services.appUrl()}/mc-admin/users/u1/edit`,
          },
        ],
      },
    ]);
    await staff.api.adminWebhooks.test({ params: { id } });
    await pass(0);
    expect(titles().at(-1)).toBe('Dieser Kanal funktioniert');
    expect(await get(id)).toMatchObject({ kind: 'discord', waiting: 0, failed: 0 });
  });

  test('the token of a channel is stored sealed and shown to nobody, in no answer and no log', async () => {
    const { id } = await add();
    await adjust(1);
    await pass(0);
    const { rows } = await staff.api.adminWebhooks.deliveries({ params: { id } });
    const seen = JSON.stringify([
      await get(id),
      await staff.api.adminWebhooks.delivery({ params: { id: rows[0]?.id ?? '' } }),
      await h.db.sql('SELECT * FROM audit'),
      await h.db.sql('SELECT * FROM webhook_endpoints'),
    ]);
    expect(seen).not.toContain(channel.token);
    expect((await get(id)).url).toBe(channel.url.replace(`/${channel.token}`, ''));
  });

  test('T57 an address keeps its token while it stays, and another one asks for its own', async () => {
    const { id } = await add();
    const { url } = await get(id);
    await save(id, url);
    const other = discord.webhook();
    const bare = other.url.replace(`/${other.token}`, '');
    expect(await save(id, bare, 2).catch((error: { fields: unknown }) => error.fields)).toEqual({
      url: ['DISCORD_URL'],
    });
    expect(await codeOf(save(id, 'https://example.com/api/webhooks/123456789012345678/abcdefghijklmnopqrstu', 2))).toBe(
      'VALIDATION_FAILED',
    );
    expect(await codeOf(add(bare))).toBe('VALIDATION_FAILED');
    expect(await save(id, other.url, 2)).toMatchObject({ revision: 3, secret: null });
    await adjust(1);
    await pass(0);
    expect([channel.messages.length, other.messages.length]).toEqual([0, 1]);
    expect(await codeOf(staff.api.adminWebhooks.rotate({ params: { id } }))).toBe('NOT_FOUND');
  });

  test('limits of a channel and of everything are kept, and nothing is lost', async () => {
    const { id } = await add();
    discord.limit({ max: 2, windowS: 60 });
    for (const amount of [1, 2, 3]) await adjust(amount);
    await pass(0);
    expect(channel.messages).toHaveLength(2);
    expect(discord.calls('POST /webhooks')).toBeGreaterThan(0);
    await pass(MINUTE + SECOND);
    expect(channel.messages).toHaveLength(3);
    discord.limit({ max: 1000, windowS: 1 });
    await pass(MINUTE);
    const before = discord.calls('POST /webhooks');
    discord.fault(FAULTS.limited('POST /webhooks', 'global', 90.5));
    await adjust(4);
    await pass(0);
    await adjust(5);
    await pass(MINUTE);
    expect(discord.calls('POST /webhooks')).toBe(before + 1);
    await pass(5 * MINUTE);
    expect(channel.messages).toHaveLength(5);
    expect(await get(id)).toMatchObject({ waiting: 0, failed: 0, enabled: true });
  });

  test('faults of Discord lose no message; one whose answer is lost may be there twice', async () => {
    const { id } = await add();
    discord.fault(FAULTS.badGateway('POST /webhooks'), { call: 'POST /webhooks', cut: 'before' });
    await adjust(1);
    for (let minute = 0; minute < 50; minute += 1) await pass(MINUTE);
    expect(channel.messages).toHaveLength(1);
    discord.fault({ call: 'POST /webhooks', cut: 'after' });
    await adjust(2);
    for (let minute = 0; minute < 10; minute += 1) await pass(MINUTE);
    expect(channel.messages).toHaveLength(3);
    discord.fault(FAULTS.limitedByEdge('POST /webhooks'), { call: 'POST /webhooks', cut: 'hang' });
    await adjust(3);
    for (let minute = 0; minute < 50; minute += 1) await pass(MINUTE);
    expect(channel.messages).toHaveLength(4);
    expect(await get(id)).toMatchObject({ waiting: 0, failed: 0, enabled: true });
  });

  test('a webhook that was deleted in Discord is left alone for good, and staff are notified', async () => {
    const { id } = await add();
    discord.deleteWebhook(channel.id);
    await adjust(1);
    await pass(0);
    expect(await get(id)).toMatchObject({ enabled: false, disabled_cause: 'gone' });
    const { notifications } = await staff.api.notifications.list();
    expect(notifications.map(({ kind }) => kind)).toContain('webhookDisabled');
    const calls = discord.calls('POST /webhooks');
    await adjust(2);
    await pass(HOUR);
    expect(discord.calls('POST /webhooks')).toBe(calls);
  });

  test('nothing is posted while the plugin is off, whatever other webhooks there are', async () => {
    await add();
    await turn(false);
    await staff.api.adminPlugins.setOn({ params: { identifier: 'webhooks' }, body: { on: true } });
    await adjust(1);
    await pass(HOUR);
    expect(channel.messages).toEqual([]);
    await turn(true);
    await adjust(2);
    await pass(0);
    expect(channel.messages).toHaveLength(1);
  });
});

test('every event has words in every language, and its message fits into the limits of Discord', () => {
  for (const locale of LOCALES)
    for (const { name, example } of outsideEvents()) {
      const body = JSON.stringify({ type: name, version: 1, timestamp: '2026-01-01T00:00:00.000Z', data: example });
      const host = { appUrl: 'https://panel.example.com', appName: 'x'.repeat(5000), locale, texts: discordTexts };
      const { embeds } = discordMessage(body, host) as {
        embeds: { title: string; footer: { text: string }; fields?: { name: string; value: string }[] }[];
      };
      expect({ locale, name, title: embeds[0]?.title }).not.toEqual({ locale, name, title: name });
      expect(embeds[0]?.title.length).toBeLessThanOrEqual(256);
      expect(embeds[0]?.footer.text.length).toBeLessThanOrEqual(2048);
      for (const field of embeds[0]?.fields ?? [])
        expect(Math.min(field.name.length, field.value.length)).toBeGreaterThan(0);
    }
});
