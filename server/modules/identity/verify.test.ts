import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { DAY, MINUTE } from '#shared/time.ts';
import { ctxOf, guestCtx } from '#tests/support/browser.ts';
import { atOnce, codeOf, nth } from '#tests/support/coins.ts';
import { refusal } from '#tests/support/factor.ts';
import { openHarness, type Harness } from '#tests/support/harness.ts';
import { identityDeps, sentMail, topicsDuring, type Sent } from '#tests/support/identity.ts';
import type { IdentityDeps } from './deps.ts';
import { createMailBudget } from './mail-budget.ts';
import { createPendingAccounts } from './pending.ts';
import { createVerify } from './verify.ts';

let h: Harness;
let sent: Sent[];
beforeEach(async () => {
  h = await openHarness();
  sent = [];
});
afterEach(() => h.close());

const CTX = guestCtx({ address: '203.0.113.7', locale: 'ro' });
const ASKER = { network: 'a-network', device: 'a-device' };
const PERSON = {
  username: 'ann',
  email: 'ann@example.com',
  passwordHash: 'plain:right',
  firstName: 'Ann',
  lastName: 'Bee',
  referral: 'BOB',
  ssoRegistration: '',
  deviceKey: 'a-device-key',
};
function parts(over: Partial<IdentityDeps> = {}) {
  const deps = identityDeps(h, { mailing: sentMail(sent), ...over });
  const pending = createPendingAccounts(deps, createMailBudget(deps));
  return { pending, job: nth(Object.values(pending.jobs), 0), ...createVerify(deps, pending) };
}
/** Registers. Out: the token of the link in the e-mail; '' where none left. */
async function add(change: Partial<typeof PERSON> = {}, asker = ASKER): Promise<string> {
  await h.db.uow.run((tx) => parts().pending.add(tx, CTX, { ...PERSON, ...change }, asker));
  return token();
}
/** The token of the link that was sent last. */
const token = () => /\?token=(.+)$/.exec(String(sent.at(-1)?.vars.path))?.[1] ?? '';
const verify = (text: string, over: Partial<IdentityDeps> = {}) => codeOf(parts(over).verify(CTX, text));
const users = () => h.db.sql<Record<string, unknown>>('SELECT username, email, verified_ms FROM users');
const hash = (text: string) => h.host.services.ids.hash(text);

describe('an account that waits for the link in its e-mail', () => {
  test('S6 the link goes to the address, in the language of who registered, under their name', async () => {
    await add();
    expect(sent).toMatchObject([
      { userId: null, address: 'ann@example.com', template: 'verify', vars: { name: 'Ann' } },
    ]);
    expect(sent[0]?.vars.path).toBe(`/auth/verify?token=${token()}`);
    expect(await h.db.sql('SELECT * FROM pending_accounts')).toMatchObject([
      {
        username: 'ann',
        locale: 'ro',
        address: '203.0.113.7',
        token_hash: hash(token()),
        created_ms: h.clock.now(),
        expires_ms: h.clock.now() + DAY,
      },
    ]);
    await add({ username: 'bob', email: 'bob@example.com', firstName: '' });
    expect(sent[1]?.vars).toMatchObject({ name: 'bob' });
  });

  test('S6 a name that is reserved is refused at its field, and no e-mail leaves', async () => {
    await add();
    expect(await refusal(add({ email: 'other@example.com' }))).toEqual({
      code: 'VALIDATION_FAILED',
      fields: { username: ['USERNAME_TAKEN'] },
    });
    expect(sent).toHaveLength(1);
  });

  test('S6 the link makes the account with everything that was typed, confirmed, once', async () => {
    const heard: unknown[] = [];
    const emit = (async (_: unknown, ...given: unknown[]) => void heard.push(given)) as IdentityDeps['events']['emit'];
    const link = await add();
    h.clock.advance(DAY - 1);
    expect(await verify(link, { events: { emit } })).toBeNull();
    const [user] = await h.db.sql<Record<string, unknown>>('SELECT * FROM users');
    expect(user).toMatchObject({
      username: 'ann',
      email: 'ann@example.com',
      password_hash: 'plain:right',
      first_name: 'Ann',
      last_name: 'Bee',
      locale: 'ro',
      verified_ms: h.clock.now(),
    });
    const by = { actor: { userId: user?.id, username: 'ann', sessionId: '' } };
    const facts = { userId: user?.id, role: 'Member', referral: 'BOB', address: '203.0.113.7', device: null };
    expect(heard).toMatchObject([
      ['user.registered', facts, by],
      ['user.verified', { userId: user?.id }, by],
    ]);
    expect(await h.db.uow.read((tx) => tx.identity.isKnownDevice(String(user?.id), 'a-device-key'))).toBe(true);
    expect(await verify(link)).toBe('VERIFY_LINK_INVALID');
    expect(await h.db.sql('SELECT username FROM pending_accounts')).toEqual([]);
  });

  test('S6 a link is invalid once its name or address was taken, and an internal error does not use it up', async () => {
    const [one, other] = [await add(), await add({ username: 'bella' }, { ...ASKER, network: 'another' })];
    expect([await verify(one), await verify(other)]).toEqual([null, 'VERIFY_LINK_INVALID']);
    const third = await add({ username: 'carl', email: 'carl@example.com' });
    const limits = { ...h.host.services.limits, grantDefaults: () => Promise.reject(new Error('a fault of ours')) };
    await expect(parts({ limits }).verify(CTX, third)).rejects.toThrow('a fault of ours');
    expect(await verify(third)).toBeNull();
  });

  test('S6 a link is over after 24 hours', async () => {
    const link = await add();
    h.clock.advance(DAY);
    expect([await verify(link), await users()]).toEqual(['VERIFY_LINK_INVALID', []]);
  });

  test('T36 who has an account already gets an e-mail of another kind, once a day, and nobody else learns of it', async () => {
    const owner = await h.person('owner');
    await add({ email: 'OWNER@example.com' });
    const day = Math.floor(h.clock.now() / DAY);
    expect(sent).toEqual([
      {
        userId: owner.id,
        address: null,
        template: 'accountExists',
        vars: { path: '/auth/login' },
        uniqueKey: `accountExists:${owner.id}:${day}`,
      },
    ]);
  });
});

describe('another e-mail', () => {
  const again = async (email = 'ann@example.com', asker: object = ASKER) => {
    await parts().job.handle({ email, ...asker });
    return token();
  };

  test('T36 whoever asks leaves one order that names the address and who asks, and looks nobody up', async () => {
    await parts().pending.enqueueLink('Ann@example.com', ASKER);
    await parts().pending.enqueueLink('ann@example.com', { ...ASKER, device: 'another' });
    await parts().pending.enqueueLink('nobody@example.com', ASKER);
    const rows = await h.db.sql<Record<string, unknown>>(
      "SELECT payload, unique_key FROM jobs WHERE kind = 'identity.verify_again' ORDER BY id",
    );
    expect(rows.map(({ payload, unique_key: key }) => [JSON.parse(String(payload)), key])).toEqual([
      [{ email: 'Ann@example.com', ...ASKER }, `verify:${hash('ann@example.com')}:a-network`],
      [{ email: 'nobody@example.com', ...ASKER }, `verify:${hash('nobody@example.com')}:a-network`],
    ]);
    expect(parts().job.leaseMs).toBe(MINUTE);
  });

  test('T36 another e-mail has a link valid for 24 hours from then on, and ends the one before', async () => {
    const first = await add();
    h.clock.advance(MINUTE);
    const second = await again();
    expect([second === first, await verify(first)]).toEqual([false, 'VERIFY_LINK_INVALID']);
    h.clock.advance(DAY - 1);
    expect(await verify(second)).toBeNull();
    expect(sent).toHaveLength(2);
    h.clock.advance(DAY);
    await again();
    await again('nobody@example.com');
    expect(sent).toHaveLength(2);
  });

  test('T52 a second e-mail within the minute is not sent', async () => {
    await add();
    await again();
    expect(sent).toHaveLength(1);
  });

  test('an order that lacks what it needs does nothing', async () => {
    await add();
    h.clock.advance(MINUTE);
    for (const asker of [{ network: 'n' }, { device: 'd' }, {}]) await again('ann@example.com', asker);
    await parts().job.handle(ASKER);
    expect(sent).toHaveLength(1);
    await again('ann@example.com', { network: 'n', device: 'd' });
    expect(sent).toHaveLength(2);
  });
});

describe('an account that is there already', () => {
  async function early() {
    const person = await h.person('early');
    await h.db.sql('UPDATE users SET verified_ms = NULL');
    return { ...person, ctx: await ctxOf(h, person.secret) };
  }

  test('a link confirms the address once, ends with the next one or after 24 hours, and caches of the user are cleared', async () => {
    const { id, ctx } = await early();
    await parts().resend(ctx);
    expect(sent).toMatchObject([{ userId: id, template: 'verify', vars: { path: `/auth/verify?token=${token()}` } }]);
    const first = token();
    h.clock.advance(MINUTE);
    await parts().resend(ctx);
    expect(await verify(first)).toBe('VERIFY_LINK_INVALID');
    h.clock.advance(DAY - 1);
    const topics = [`account:${id}`, `user:${id}`];
    const second = token();
    expect(await topicsDuring(h, topics, () => verify(second))).toEqual(topics);
    expect((await users())[0]?.verified_ms).toBe(h.clock.now());
    expect(await verify(second)).toBe('VERIFY_LINK_INVALID');
    const rows = await h.db.sql("SELECT actor_id, target FROM audit WHERE action = 'account.verify'");
    expect(rows).toEqual([{ actor_id: id, target: id }]);
    expect(await codeOf(parts().resend(ctx))).toBe('ALREADY_VERIFIED');
  });

  test('a link is over after 24 hours, and with its account', async () => {
    const { ctx } = await early();
    await parts().resend(ctx);
    h.clock.advance(DAY);
    expect(await verify(token())).toBe('VERIFY_LINK_INVALID');
    await parts().resend(ctx);
    await h.db.sql("UPDATE users SET status = 'deleted'");
    expect(await verify(token())).toBe('VERIFY_LINK_INVALID');
    expect((await users())[0]?.verified_ms).toBeNull();
  });

  test('a link of one who was confirmed meanwhile works, and nothing is said twice', async () => {
    const { ctx } = await early();
    await parts().resend(ctx);
    await h.db.sql('UPDATE users SET verified_ms = 5');
    expect(await verify(token())).toBeNull();
    expect((await users())[0]?.verified_ms).toBe(5);
    expect(await h.db.sql("SELECT id FROM audit WHERE action = 'account.verify'")).toEqual([]);
  });

  test('T52 another link comes after a minute, five in 24 hours, and says how long to wait, also of fifty at once', async () => {
    const { ctx } = await early();
    const wait = async () => {
      const error: unknown = await parts()
        .resend(ctx)
        .catch((reason: unknown) => reason);
      return error === undefined ? 0 : (error as { retryAfterS?: number }).retryAfterS;
    };
    expect(await atOnce(50, () => parts().resend(ctx))).toEqual({ ok: 1, RESEND_TOO_SOON: 49 });
    h.clock.advance(MINUTE - 1);
    expect(await wait()).toBe(1);
    h.clock.advance(1);
    for (let at = 1; at < 5; at += 1) {
      expect(await wait()).toBe(0);
      h.clock.advance(MINUTE);
    }
    expect(await wait()).toBe((DAY - 5 * MINUTE) / 1000);
    h.clock.advance(DAY - 5 * MINUTE - 1);
    expect(await wait()).toBe(1);
    h.clock.advance(1);
    expect(await wait()).toBe(0);
    expect(await wait()).toBe(60);
    expect(sent).toHaveLength(6);
  });

  test('somebody whose account went away is sent nothing', async () => {
    const { ctx } = await early();
    const gone = { ...ctx, actor: { ...ctx.actor, userId: '01890000-0000-7000-8000-000000000000' } };
    expect(await codeOf(parts().resend(gone))).toBe('ALREADY_VERIFIED');
    expect(sent).toEqual([]);
  });
});
