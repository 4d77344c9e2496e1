import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createDeletion, DELETION_JOB } from '#server/modules/deletion/index.ts';
import type { UnitOfWork } from '#server/modules/tx.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { ctxOf, guestCtx } from '#tests/support/browser.ts';
import { atOnce, codeOf } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { refusal } from '#tests/support/factor.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 3.8.

/** Tables whose rows of a user go with the account. */
const ERASED = [
  'sessions',
  'known_devices',
  'one_time_tokens',
  'email_changes',
  'mail_opt_outs',
  'data_exports',
  'second_factors',
  'recovery_codes',
  'api_tokens',
  'passkeys',
  'user_notes',
  'support_pins',
  'attention_snoozes',
  'overview_layouts',
  'tickets',
  'images',
  'image_usage',
  'image_traffic',
  'image_keys',
  'image_embeds',
  'ticket_blocks',
  'announcement_reads',
  'announcement_marks',
  'announcement_reactions',
  'mails',
  'notifications',
  'notification_choices',
  'notification_digests',
  'push_subscriptions',
  'user_skins',
  'user_privacy',
  'linked_identities',
  'link_attempts',
  'referral_codes',
  'abuse_signals',
  'panel_account_codes',
  'waiting_list',
  'server_subusers',
  'imported_code_uses',
  'idempotency_keys',
  'leaderboard_scores',
  'leaderboard_marks',
];
/** Tables of which some columns are emptied; their rows stay, for the books or for others. */
const EMPTIED = {
  users: 'name, address, password: the id stays, so that the books have one',
  audit: 'addresses, devices and contents of what concerned the account',
  afk_sessions: 'the device',
  gifts: 'the note of the sender; name and note in the notifications of the others',
  held_rewards: 'the note and the signals',
  link_claims: 'the network and the session',
  referrals: 'the network of the newcomer',
  servers: 'name, description, variables',
  server_debts: 'the name',
  embedded_users: 'name and address of the account in the built-in panel',
} as const;

/** Tables with rows of a user that stay as they are, each with the reason. */
const KEPT = {
  ledger_balances: 'the books',
  ledger_blocks: 'the books',
  user_limits: 'numbers without a person',
  earn_counters: 'numbers without a person, gone after days',
  gift_days: 'numbers without a person',
  redeem_uses: 'a code is used once a user; its counts are part of the books',
  store_purchases: 'the books',
  payment_orders: 'invoices are kept as tax law asks',
  imported_payments: 'the same: those of the dashboard before',
  identity_history: 'an identity elsewhere is paid once, for good (behaviour 4.3)',
  j4r_claims: 'the same: what was paid for it',
  early_supporters: 'a place is taken once; its reward is part of the books',
  server_events: 'what happened to a server, without its name',
  server_queue: 'what happened to a server, without its name',
  panel_accounts: 'number of the account in the panel, which gets the new name',
  embedded_servers: 'removed with the server',
  discord_role_members: 'goes by itself once the roles that were given in Discord are taken back',
  account_deletions: 'removed by the deletion itself at its end',
} as const;
/** What becomes of the tables that an erasure leaves, when the row of the user is to go too (behaviour 8.3). */
const WHEN_REMOVED = {
  keepTheRow: [
    'payment_orders',
    'imported_payments',
    'servers',
    'panel_accounts',
    'referrals',
    'link_claims',
    'j4r_claims',
    'identity_history',
    'ledger_blocks',
  ],
  keptByPostings: ['gifts', 'redeem_uses', 'store_purchases', 'held_rewards'],
  keptByServers: ['server_events', 'server_queue', 'server_debts', 'embedded_users', 'embedded_servers'],
  keptByWhatStaffDid: ['audit'],
  goesByItself: ['discord_role_members'],
  goes: [
    'users',
    'user_limits',
    'earn_counters',
    'gift_days',
    'afk_sessions',
    'early_supporters',
    'ledger_balances',
    'account_deletions',
  ],
};

test('every table that an erasure leaves keeps the row of its user, or goes with it', () => {
  const left = [...Object.keys(EMPTIED), ...Object.keys(KEPT)];
  expect(left.toSorted()).toEqual(Object.values(WHEN_REMOVED).flat().toSorted());
});

describe.each(ENGINES)('deleting one’s account on %s', (engine) => {
  let h: Harness;
  let mirela: Person;
  beforeEach(async () => {
    h = await openHarness({ engine, sample: true });
    await h.host.services.identity.createUser({
      username: 'owner',
      email: 'owner@example.com',
      password: PASSWORD,
      first_name: 'O',
      last_name: 'W',
      locale: 'en',
      role: 'owner',
    });
    mirela = await h.person('mirela.v', { credits: 250 });
  });
  afterEach(() => h.close());

  const deletion = () => h.host.services.deletion;
  const ask = async (who = mirela, password = PASSWORD) => deletion().request(await ctxOf(h, who.secret), password);
  const user = async (id = mirela.id) => (await h.db.sql('SELECT * FROM users WHERE id = ?', [id]))[0];
  /** Lets time pass as the product would live through it. */
  async function live(ms: number): Promise<void> {
    const until = h.clock.now() + ms;
    while (h.clock.now() < until) {
      h.clock.advance(Math.min(ms > DAY ? DAY : 20 * MINUTE, until - h.clock.now()));
      await h.drainJobs();
    }
  }
  async function createServer(): Promise<string> {
    await h.set({ embedded_install_seconds: 0 });
    const { locations, categories } = await mirela.api.servers.options();
    const eggs = categories.flatMap((category) => category.eggs.map((egg) => ({ ...egg, category: category.id })));
    const egg = eggs.toSorted((a, b) => a.min_memory - b.min_memory)[0];
    const location = locations[0];
    if (!egg || !location) throw new Error('no sample data');
    const { id } = await mirela.api.servers.create({
      body: {
        name: 'Lanternwood',
        description: 'of Mirela',
        location_id: location.id,
        category_id: egg.category,
        egg_id: egg.id,
        memory: egg.min_memory,
        disk: egg.min_disk,
        cpu: egg.min_cpu,
        ports: 1,
        databases: 0,
        backups: 0,
        variables: Object.fromEntries(egg.variables.map(({ env, default_value: value }) => [env, value])),
        auto_renew: false,
      },
    });
    return id;
  }

  test('it is asked for with the password, shows what goes with it, and is cancelled by a click for seven days', async () => {
    const at = { code: 'VALIDATION_FAILED', fields: { password: ['PASSWORD_WRONG'] } };
    expect(await refusal(ask(mirela, 'wrong'))).toEqual(at);
    await createServer();
    expect(await mirela.api.accountDeletion.get()).toMatchObject({
      due_at: null,
      servers: ['Lanternwood'],
      credits: 250,
      last_owner: false,
    });
    expect(await ask()).toBe(h.clock.now() + 7 * DAY);
    const mails = await h.db.sql("SELECT address FROM mails WHERE template = 'deletionRequested'");
    expect(mails).toEqual([{ address: 'mirela.v@example.com' }]);
    await live(6 * DAY);
    await mirela.api.accountDeletion.cancel();
    expect(await codeOf(deletion().cancel(await ctxOf(h, mirela.secret)))).toBe('NOT_FOUND');
    await live(2 * DAY);
    expect(await user()).toMatchObject({ status: 'active', username: 'mirela.v' });
  }, 300_000);

  test('two tabs that delete one account ask once, and time is not moved by the second', async () => {
    const first = await ask();
    h.clock.advance(HOUR);
    expect(await ask()).toBe(first);
    await mirela.api.accountDeletion.cancel();
    const ctx = await ctxOf(h, mirela.secret);
    expect(await atOnce(5, () => deletion().request(ctx, PASSWORD))).toEqual({ ok: 5 });
    expect(await h.db.sql('SELECT user_id FROM account_deletions')).toHaveLength(1);
    expect(await h.db.sql("SELECT id FROM audit WHERE action = 'account.deletion_request'")).toHaveLength(2);
  });

  test('T56 after seven days servers are gone, credits are out of circulation, and nothing in any table names the person', async () => {
    const server = await createServer();
    await live(HOUR);
    await mirela.api.account.update({ body: { first_name: 'Mirabella', last_name: 'Vasilescu', locale: 'en' } });
    await h.host.services.identity.requestPasswordReset(guestCtx(), 'mirela.v', '');
    const tobi = await giveBothWays();
    await workOnThings(server);
    await ask();
    await live(7 * DAY);
    await live(HOUR);
    expect(await user()).toMatchObject({ status: 'deleted', first_name: '', last_name: '' });
    expect((await bellOf(tobi)).toSorted()).toEqual(['giftReceived', 'giftSent']);
    expect(await h.host.services.identity.resolve(mirela.secret)).toBeNull();
    const servers = await h.db.sql('SELECT state, name, description FROM servers WHERE id = ?', [server]);
    expect(servers).toEqual([{ state: 'deleted', name: '', description: '' }]);
    expect(await h.balance(mirela.id)).toBe(0);
    const kept = new Set(['ledger_transactions', 'ledger_postings', 'jobs']);
    for (const { name } of await tables()) {
      if (kept.has(name)) continue;
      const found = JSON.stringify(await h.db.sql(`SELECT * FROM ${name}`)).match(
        /mirela\.v|mirabella|vasilescu|Lanternwood|203\.0\.113\.7/i,
      );
      expect([name, found?.[0] ?? null]).toEqual([name, null]);
    }
    expect(await h.db.sql('SELECT user_id FROM account_deletions')).toEqual([]);
    // The name and the address are free again.
    expect(await h.person('mirela.v')).toBeTruthy();
  }, 300_000);

  /** Mirela names a token after herself; staff cancel an e-mail of hers, suspend her server and let it go. */
  async function workOnThings(server: string): Promise<void> {
    const oana = await h.person('oana', { permissions: ['admin.root'] });
    await h.db.sql("UPDATE sessions SET address = '198.51.100.5' WHERE user_id = ?", [oana.id]);
    const body = { name: 'Laptop of Mirabella', scopes: ['account:read' as const], expires_in_days: 30, addresses: '' };
    await mirela.api.apiTokens.create({ body });
    const [mail] = await h.db.sql<{ id: string }>(
      "SELECT id FROM mails WHERE user_id = ? AND template = 'tokenCreated'",
      [mirela.id],
    );
    await h.db.sql("UPDATE mails SET state = 'queued' WHERE id = ?", [mail?.id ?? '']);
    await oana.api.adminMails.cancel({ params: { id: mail?.id ?? '' } });
    await oana.api.adminServers.suspend({ params: { id: server }, body: { reason: 'Loud neighbour' } });
    await oana.api.adminServers.unsuspend({ params: { id: server } });
    await h.db.sql("UPDATE audit SET address = '198.51.100.5' WHERE actor_id = ?", [oana.id]);
    const said = await h.db.sql(
      "SELECT before, after FROM audit WHERE action LIKE 'servers.%' OR action LIKE 'mails.%'",
    );
    expect(JSON.stringify(said)).toMatch(/mirela\.v@example\.com.*Lanternwood|Lanternwood.*mirela\.v@example\.com/s);
  }

  /** Mirela and Tobi give each other something; Mirela writes her name beside it. Out: Tobi. */
  async function giveBothWays(): Promise<Person> {
    const tobi = await h.person('tobi', { credits: 50 });
    // He sits elsewhere, so that the address looked for is hers alone.
    await h.db.sql("UPDATE sessions SET address = '198.51.100.4' WHERE user_id = ?", [tobi.id]);
    await h.set({ gift_min_account_days: 0 });
    h.clock.advance(MINUTE);
    const gift = { amount: 10, total: 11 };
    await mirela.api.gifts.send({ body: { ...gift, recipient: tobi.id, note: 'From Mirabella' } });
    await tobi.api.gifts.send({ body: { ...gift, recipient: mirela.id } });
    expect((await bellOf(tobi)).toSorted()).toEqual(['giftReceivedNote', 'giftSent']);
    return tobi;
  }
  const bellOf = async ({ id }: Person) =>
    (
      await h.db.sql<{ kind: string }>("SELECT kind FROM notifications WHERE user_id = ? AND kind LIKE 'gift%'", [id])
    ).map(({ kind }) => kind);

  const tables = () =>
    h.db.sql<{ name: string }>(
      engine === 'sqlite'
        ? "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT NULL AND name NOT LIKE 'sqlite_%'"
        : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()',
    );

  test('T56 every table with rows of a user is erased, emptied or kept for a reason', async () => {
    const columns = await h.db.sql<{ name: string }>(
      engine === 'sqlite'
        ? "SELECT m.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'user_id'"
        : "SELECT table_name AS name FROM information_schema.columns WHERE column_name = 'user_id' AND table_schema = current_schema()",
    );
    const known = new Set([...ERASED, ...Object.keys(EMPTIED), ...Object.keys(KEPT)]);
    expect(columns.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
  });

  test('a deletion that is killed between any two of its steps is gone on with, and ends the same', async () => {
    await createServer();
    await live(HOUR);
    await ask();
    h.clock.advance(7 * DAY);
    for (let kill = 1; kill <= 4; kill += 1) {
      const dying = createDeletion({ ...h.host.services, uow: dyingAfter(h.db.uow, kill) });
      await dying.jobs[DELETION_JOB]?.handle({ userId: mirela.id }).catch(() => undefined);
    }
    await live(HOUR);
    expect(await user()).toMatchObject({ status: 'deleted', first_name: '' });
    expect(await h.db.sql("SELECT id FROM audit WHERE action = 'users.erase'")).toHaveLength(1);
    expect(await h.balance(mirela.id)).toBe(0);
    const burnt = await h.db.sql("SELECT id FROM ledger_transactions WHERE reference LIKE 'deletion:%'");
    expect(burnt).toHaveLength(1);
  }, 300_000);

  test('the last owner may not be deleted, nor may two last owners leave at once', async () => {
    const [ann, bob] = [await h.person('ann'), await h.person('bob')];
    await h.db.sql("UPDATE users SET role_id = (SELECT id FROM roles WHERE key = 'owner') WHERE username = 'ann'");
    await h.db.sql("UPDATE users SET role_id = (SELECT id FROM roles WHERE key = 'owner') WHERE username = 'bob'");
    await h.db.sql("UPDATE users SET status = 'deleted' WHERE username = 'owner'");
    await ask(ann);
    await ask(bob);
    h.clock.advance(7 * DAY);
    const [job] = Object.values(deletion().jobs);
    await Promise.all([ann, bob].map(({ id }) => job?.handle({ userId: id })));
    const left = await h.db.sql<{ username: string; id: string }>(
      "SELECT id, username FROM users WHERE status = 'active' AND role_id = (SELECT id FROM roles WHERE key = 'owner')",
    );
    expect(left).toHaveLength(1);
    const last = [ann, bob].find(({ id }) => id === left[0]?.id) ?? ann;
    expect(await last.api.accountDeletion.get()).toMatchObject({ last_owner: true });
    await last.api.accountDeletion.cancel();
    expect(await codeOf(ask(last))).toBe('LAST_OWNER');
  });

  test('T34 a ban is not got rid of by a deletion, and an account that goes back to its old address is kept', async () => {
    await ask();
    await h.host.services.identity.ban(null, mirela.id, { reason: 'spam', untilMs: null });
    await live(8 * DAY);
    expect(await user()).toMatchObject({ status: 'banned', username: 'mirela.v' });
    const tobi = await h.person('tobi');
    const { emailChange } = h.host.services.identity;
    await emailChange.request(await ctxOf(h, tobi.secret), { email: 'thief@new.example', password: PASSWORD });
    const token = async (template: string) =>
      /token=([\w-]+)/.exec(
        (await h.db.sql<{ text: string }>('SELECT text FROM mails WHERE template = ?', [template]))[0]?.text ?? '',
      )?.[1] ?? '';
    await emailChange.confirm(guestCtx(), await token('emailChange'));
    await ask(tobi);
    await emailChange.undo(guestCtx(), await token('emailChanged'));
    expect(await h.db.sql('SELECT user_id FROM account_deletions')).toEqual([{ user_id: mirela.id }]);
  }, 300_000);
});

/** A unit of work that dies after so many transactions: what comes later never begins. */
function dyingAfter(uow: UnitOfWork, count: number): UnitOfWork {
  let left = count;
  return {
    read: (work) => uow.read(work),
    run: async (work) => {
      if ((left -= 1) < 0) throw new Error('killed');
      return uow.run(work);
    },
  };
}
