import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { DAY, MINUTE } from '#shared/time.ts';
import type { CreateTokenInput } from '#shared/schemas/api-token.ts';
import { TOKENS_MAX } from '#shared/token-scopes.ts';
import { ctxOf, guestCtx } from '#tests/support/browser.ts';
import { codeOf } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 3.12.

const HOME = '203.0.113.7';

describe.each([...ENGINES])('API tokens on %s', (engine) => {
  let h: Harness;
  let ann: Person;
  beforeEach(async () => {
    h = await openHarness({ engine });
    ann = await h.person('ann');
  });
  afterEach(() => h.close());

  const tokens = () => h.host.services.apiTokens;
  const input = (over: Partial<CreateTokenInput> = {}): CreateTokenInput => ({
    name: 'Bot',
    scopes: ['servers:read'],
    expires_in_days: null,
    addresses: '',
    ...over,
  });
  const create = async (over: Partial<CreateTokenInput> = {}, by: Person = ann) =>
    tokens().create(await ctxOf(h, by.secret), input(over));
  const resolve = (token: string, address = HOME) => tokens().resolve(token, address);
  const freshPerson = () => h.person('bob');
  const namesOf = async (by: Person = ann) =>
    (await tokens().list(await ctxOf(h, by.secret))).tokens.map(({ name }) => name);

  test('T35 a token is shown once, kept as a hash alone, and acts for its user with its scopes', async () => {
    const { id, token } = await create({ scopes: ['servers:read', 'servers:write', 'account:read'] });
    expect(token).toMatch(/^sp_live_[\w-]{43}$/);
    expect(await resolve(token)).toMatchObject({
      userId: ann.id,
      sessionId: '',
      permissions: [],
      token: { id, scopes: ['account:read', 'servers:write'] },
    });
    const rows = JSON.stringify(await h.db.sql('SELECT * FROM api_tokens'));
    expect(rows).toContain(h.host.services.ids.hash(token));
    expect(rows).not.toContain(token.slice(0, 30));
    expect(JSON.stringify(await h.db.sql('SELECT * FROM audit'))).not.toContain(token.slice(8));
    expect(JSON.stringify(await h.db.sql('SELECT * FROM mails'))).not.toContain(token.slice(8));
    const { tokens: listed } = await tokens().list(await ctxOf(h, ann.secret));
    expect(listed).toMatchObject([
      { id, name: 'Bot', tail: token.slice(-4), usedMs: h.clock.now(), usedAddress: HOME },
    ]);
    expect(await resolve(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`)).toBeNull();
  });

  test('T35 a token ends with its time, is listed a while longer, and is thrown away thirty days later', async () => {
    const { token } = await create({ expires_in_days: 30 });
    h.clock.advance(30 * DAY - 1);
    expect(await resolve(token)).not.toBeNull();
    h.clock.advance(1);
    expect(await resolve(token)).toBeNull();
    await tokens().purge();
    expect(await tokens().operator.list('ann')).toHaveLength(1);
    h.clock.advance(30 * DAY + 1);
    await create({ name: 'Endless' }, await freshPerson());
    await tokens().purge();
    expect(await tokens().operator.list('ann')).toEqual([]);
    expect(await tokens().operator.list('bob')).toHaveLength(1);
  });
  test('a token works from its addresses and networks alone, however an address is written', async () => {
    const { token } = await create({ addresses: '203.0.113.7, 198.51.100.0/24\n2001:db8:1::/48 203.0.113.7' });
    expect((await tokens().operator.list('ann'))[0]?.addresses).toEqual([
      '203.0.113.7',
      '198.51.100.0/24',
      '2001:db8:1::/48',
    ]);
    for (const address of [HOME, '198.51.100.200', '::ffff:203.0.113.7', '2001:db8:1:5::9'])
      expect((await resolve(token, address))?.userId).toBe(ann.id);
    for (const address of ['203.0.113.8', '198.51.101.1', '2001:db8:2::1', '', 'unknown'])
      expect(await codeOf(resolve(token, address))).toBe('TOKEN_ADDRESS_REFUSED');
  });

  test('T58 what is no address or network is refused, and nothing is made', async () => {
    const many = Array.from({ length: 21 }, (_, at) => `203.0.113.${at}`).join(',');
    for (const addresses of ['example.com', '203.0.113', '0.0.0.0/0', '203.0.113.7#x', '203.0.113.007', '::/0', many])
      expect(await codeOf(create({ addresses }))).toBe('VALIDATION_FAILED');
    expect(await namesOf()).toEqual([]);
  });

  test('T40 a token is given no right that its maker lacks, and loses what they lose while it is in use', async () => {
    expect(await codeOf(create({ scopes: ['admin.users:read'] }))).toBe('VALIDATION_FAILED');
    const staff = await h.person('staff', {
      permissions: ['admin.users.list', 'admin.users.edit', 'admin.roles.edit'],
    });
    const { token } = await create({ scopes: ['admin.users:write'] }, staff);
    expect((await resolve(token))?.permissions).toEqual(['admin.users.edit', 'admin.users.list']);
    await h.db.sql("DELETE FROM role_permissions WHERE permission = 'admin.users.edit'");
    h.db.bus.publish(['roles']);
    expect((await resolve(token))?.permissions).toEqual(['admin.users.list']);
    expect(await codeOf(create({ scopes: ['admin.users:write'] }, staff))).toBe('VALIDATION_FAILED');
  });

  test('T34 a ban stops a token in use at once, and the end of the ban brings it back', async () => {
    const { token } = await create();
    expect(await resolve(token)).not.toBeNull();
    await h.host.services.identity.ban(null, ann.id, { reason: 'spam', untilMs: null });
    expect(await resolve(token)).toBeNull();
    await h.host.services.identity.unban(null, ann.id);
    expect(await resolve(token)).not.toBeNull();
  });

  test('T24 T35 a revoked token in use ends at once, and nobody revokes those of others', async () => {
    const { id, token } = await create();
    const bob = await freshPerson();
    expect(await resolve(token)).not.toBeNull();
    expect(await codeOf(tokens().revoke(await ctxOf(h, bob.secret), id))).toBe('NOT_FOUND');
    expect(await tokens().revokeAll(await ctxOf(h, bob.secret))).toBe(0);
    expect(await resolve(token)).not.toBeNull();
    await tokens().revoke(await ctxOf(h, ann.secret), id);
    expect([await resolve(token), await namesOf()]).toEqual([null, []]);
    expect(await codeOf(tokens().revoke(await ctxOf(h, ann.secret), id))).toBe('NOT_FOUND');
    const actions = (await h.db.uow.read((tx) => tx.audit.latest(20))).map(({ action, target }) => [action, target]);
    expect(actions.filter(([action]) => action?.startsWith('account.token'))).toEqual([
      ['account.token_revoke', id],
      ['account.token_create', id],
    ]);
  });

  test('T35 a new password revokes every token, and none that is made at once by another session remains', async () => {
    const { token } = await create();
    expect(await resolve(token)).not.toBeNull();
    const intruder = await h.host.services.identity.openSession(ann.id, { address: HOME, userAgent: '' });
    const [mine, theirs] = [await ctxOf(h, ann.secret), await ctxOf(h, intruder.secret)];
    const change = h.host.services.identity.changePassword(mine, {
      current: PASSWORD,
      password: 'plough lantern seven',
    });
    const made = await Promise.allSettled([
      change,
      ...Array.from({ length: 12 }, async (_, index) => {
        // Spread over the time that the change takes, so that some come before it, in it and after it.
        await Bun.sleep(index * 2);
        return tokens().create(theirs, input());
      }),
    ]);
    expect(made[0].status).toBe('fulfilled');
    expect(await codeOf(tokens().create(theirs, input()))).toBe('UNAUTHENTICATED');
    expect([await resolve(token), await tokens().operator.list('ann')]).toEqual([null, []]);
  });

  test('T36 a password set by the link of an e-mail, and an address proven by somebody else, revoke every token', async () => {
    const { events } = h.host.services;
    const userId = ann.id;
    for (const emit of [
      () => h.db.uow.run((tx) => events.emit(tx, 'user.password_reset', { userId, device: '', address: HOME })),
      () => h.db.uow.run((tx) => events.emit(tx, 'user.reclaimed', { userId })),
    ]) {
      const { token } = await create();
      expect(await resolve(token)).not.toBeNull();
      await emit();
      expect([await resolve(token), await namesOf()]).toEqual([null, []]);
    }
  });

  test('T1 T52 many tokens made at once remain no more than a user may have', async () => {
    const ctx = await ctxOf(h, ann.secret);
    const made = await Promise.allSettled(Array.from({ length: TOKENS_MAX + 10 }, () => tokens().create(ctx, input())));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(TOKENS_MAX);
    expect(await codeOf(tokens().create(ctx, input()))).toBe('TOO_MANY_TOKENS');
    expect(await tokens().revokeAll(ctx)).toBe(TOKENS_MAX);
  });

  test('the last use is stored once a minute, with its address, and never moves back', async () => {
    const { token } = await create();
    const use = async () => {
      const [row] = await tokens().operator.list('ann');
      return [row?.usedMs, row?.usedAddress];
    };
    const first = h.clock.now();
    await resolve(token);
    h.clock.advance(MINUTE - 1);
    await resolve(token, '198.51.100.1');
    expect(await use()).toEqual([first, HOME]);
    h.clock.advance(1);
    await resolve(token, '198.51.100.1');
    expect(await use()).toEqual([first + MINUTE, '198.51.100.1']);
    await h.db.uow.run((tx) => tx.apiTokens.recordUse('none', 1, HOME));
    const [row] = await tokens().operator.list('ann');
    await h.db.uow.run((tx) => tx.apiTokens.recordUse(row?.id ?? '', first, HOME));
    expect(await use()).toEqual([first + MINUTE, '198.51.100.1']);
  });

  test('T31 a token makes no tokens, and neither does a session that is over or whose user is banned', async () => {
    const ctx = await ctxOf(h, ann.secret);
    const actor = await resolve((await create()).token);
    if (!actor) throw new Error('the token is not good');
    expect(await codeOf(tokens().create({ ...guestCtx(), actor }, input()))).toBe('FORBIDDEN');
    await h.host.services.identity.ban(null, ann.id, { reason: 'spam', untilMs: null });
    expect(await codeOf(tokens().create(ctx, input()))).toBe('UNAUTHENTICATED');
  });

  test('a new token is announced to its owner by a notification and an e-mail', async () => {
    const { id } = await create({ name: 'Discord bot' });
    expect(await h.db.sql("SELECT kind, data FROM notifications WHERE kind = 'tokenCreated'")).toEqual([
      { kind: 'tokenCreated', data: '{"name":"Discord bot"}' },
    ]);
    expect(await h.db.sql("SELECT subject FROM mails WHERE template = 'tokenCreated'")).toEqual([
      { subject: 'A new API token: Discord bot' },
    ]);
    expect(id).toMatch(/^[\da-f-]{36}$/);
  });
});
