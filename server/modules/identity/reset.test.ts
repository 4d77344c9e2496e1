import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { FIREFOX, guestCtx } from '#tests/support/browser.ts';
import { codeOf, nth } from '#tests/support/coins.ts';
import { refusal } from '#tests/support/factor.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { identityDeps, sentMail, topicsDuring, type Sent } from '#tests/support/identity.ts';
import type { Tx } from '../tx.ts';
import type { IdentityDeps } from './deps.ts';
import { accountTriesKey, deviceTriesPrefix } from './login.ts';
import { createMailBudget } from './mail-budget.ts';
import { createReset } from './reset.ts';
import { createResetLinks } from './reset-links.ts';

let h: Harness;
let ann: Person;
let sent: Sent[];
beforeEach(async () => {
  h = await openHarness();
  ann = await h.person('ann');
  sent = [];
});
afterEach(() => h.close());

const NEW = 'a whole new sentence';
const STRANGER = { network: 'a-network', device: '' };
const CTX = guestCtx({ address: '203.0.113.7', userAgent: FIREFOX });
const parts = (over: Partial<IdentityDeps> = {}) => {
  const deps = identityDeps(h, { mailing: sentMail(sent), ...over });
  return createReset(deps, createResetLinks(deps, createMailBudget(deps)));
};
const job = () => nth(Object.values(parts().jobs), 0);
const hash = (text: string) => h.host.services.ids.hash(text);
/** Has an e-mail sent, as the job does. Out: the token of its link; '' where none left. */
async function ask(login = 'ann', asker: object = STRANGER): Promise<string> {
  sent.length = 0;
  await job().handle({ login, ...asker });
  return /\?token=(.+)$/.exec(String(sent[0]?.vars.path))?.[1] ?? '';
}
const reset = (token: string, password = NEW, over: Partial<IdentityDeps> = {}) =>
  parts(over).reset(CTX, { token, password });
const stored = async () => (await h.db.sql<Record<string, unknown>>('SELECT * FROM users'))[0];
const audited = async () =>
  (await h.db.sql<{ action: string }>('SELECT action FROM audit ORDER BY id')).map(({ action }) => action);

describe('asking for a link', () => {
  test('T36 whoever asks leaves one order that names what was typed and who asks, and looks nobody up', async () => {
    await parts().enqueueLink(' ANN ', { network: 'n', device: 'd' });
    await parts().enqueueLink('ann', { network: 'n', device: 'other' });
    await parts().enqueueLink('nobody', { network: 'n', device: 'd' });
    const rows = await h.db.sql<Record<string, unknown>>(
      "SELECT payload, unique_key FROM jobs WHERE kind = 'identity.reset' ORDER BY id",
    );
    expect(rows.map(({ payload, unique_key: key }) => [JSON.parse(String(payload)), key])).toEqual([
      [{ login: ' ANN ', network: 'n', device: 'd' }, `reset:${hash('ann')}:n`],
      [{ login: 'nobody', network: 'n', device: 'd' }, `reset:${hash('nobody')}:n`],
    ]);
    expect(job().leaseMs).toBe(MINUTE);
  });

  test('T36 an e-mail goes to an account that is in use, by name or by address, and to no other', async () => {
    expect(await ask('nobody')).toBe('');
    expect(await ask('ANN@example.com')).not.toBe('');
    expect(sent).toMatchObject([{ userId: ann.id, template: 'passwordReset' }]);
    for (const set of ["status = 'deleted'", "status = 'banned'", `status = 'banned', banned_until_ms = ${LATER()}`]) {
      h.clock.advance(MINUTE);
      await h.db.sql(`UPDATE users SET ${set}`);
      expect([set, await ask()]).toEqual([set, '']);
    }
    await h.db.sql(`UPDATE users SET banned_until_ms = ${h.clock.now()}`);
    expect(await ask()).not.toBe('');
  });
  const LATER = () => h.clock.now() + DAY;

  test('an order without a name does nothing, and one without who asks is one of nobody’s', async () => {
    await job().handle({});
    expect(await ask('ann', {})).not.toBe('');
    expect(await h.db.sql('SELECT key FROM attempts ORDER BY key')).toEqual([
      { key: `mail:reset:${ann.id}` },
      { key: `mail:reset:${ann.id}:at:` },
      { key: `mail:reset:${ann.id}:by:` },
    ]);
  });

  test('S8 a browser that the user has logged in from is counted by itself, and any other by its network', async () => {
    await h.db.uow.run((tx) => tx.identity.recordDevice(ann.id, 'a-known-browser', h.clock.now()));
    await ask('ann', { network: 'n', device: 'a-known-browser' });
    h.clock.advance(MINUTE);
    await ask('ann', { network: 'n', device: 'another-browser' });
    expect(await h.db.sql("SELECT key FROM attempts WHERE key LIKE '%:by:%' ORDER BY key")).toEqual([
      { key: `mail:reset:${ann.id}:by:a-known-browser` },
      { key: `mail:reset:${ann.id}:by:n` },
    ]);
  });

  test('S8 where the budget is spent there is one good link at any time, and a minute lies between two e-mails', async () => {
    for (let at = 0; at < 5; at += 1) {
      expect(await ask()).not.toBe('');
      expect(await ask()).toBe('');
      h.clock.advance(MINUTE);
    }
    expect(await ask()).toBe('');
    // Another network has a budget of its own.
    const last = await ask('ann', { network: 'another-network', device: '' });
    expect(last).not.toBe('');
    expect(await ask('ann', { network: 'a-third-network', device: '' })).toBe('');
    h.clock.advance(HOUR - 1);
    expect(await ask()).toBe('');
    expect(await parts().isLinkValid(last)).toBe(true);
    h.clock.advance(1);
    expect(await parts().isLinkValid(last)).toBe(false);
    expect(await ask()).not.toBe('');
  });
});

describe('a link', () => {
  test('T36 a link is valid for an hour, for the password and address it was sent for, while the account is active', async () => {
    const token = await ask();
    const isValid = () => parts().isLinkValid(token);
    expect([await isValid(), await parts().isLinkValid('a guess')]).toEqual([true, false]);
    for (const [set, back] of [
      ['password_version = 2', 'password_version = 1'],
      ["email = 'other@example.com'", "email = 'ann@example.com'"],
      ["status = 'deleted'", "status = 'active'"],
      ["status = 'banned'", "status = 'active'"],
      [
        `status = 'banned', banned_until_ms = ${h.clock.now() + 1}`,
        `status = 'banned', banned_until_ms = ${h.clock.now()}`,
      ],
    ]) {
      await h.db.sql(`UPDATE users SET ${set}`);
      expect([set, await isValid(), await codeOf(reset(token))]).toEqual([set, false, 'RESET_LINK_INVALID']);
      await h.db.sql(`UPDATE users SET ${back}`);
      expect([back, await isValid()]).toEqual([back, true]);
    }
    h.clock.advance(HOUR);
    expect(await isValid()).toBe(false);
  });

  test('T36 a link of another kind sets no password', async () => {
    const row = { id: h.host.services.ids.uuid(), userId: ann.id, tokenHash: hash('t'), createdMs: 0 };
    await h.db.uow.run((tx) => tx.identity.addToken({ ...row, kind: 'verify', expiresMs: h.clock.now() + HOUR }));
    expect([await parts().isLinkValid('t'), await codeOf(reset('t'))]).toEqual([false, 'RESET_LINK_INVALID']);
  });

  test('a common password, or one made of the own name or address, is refused, and the link stays good', async () => {
    await h.db.sql("UPDATE users SET username = 'annabella', email = 'violetta.bee@example.com'");
    const token = await ask();
    for (const password of ['password123', 'annabella', 'violetta.bee'])
      expect(await refusal(reset(token, password))).toEqual({
        code: 'VALIDATION_FAILED',
        fields: { password: ['PASSWORD_COMMON'] },
      });
    expect(await codeOf(reset(token))).toBeNull();
  });
});

describe('a new password by a link', () => {
  test('T36 a new password ends every link and session, forgets wrong guesses, and whoever stands on them hears of it', async () => {
    const [first, second] = [await ask(), (h.clock.advance(MINUTE), await ask())];
    const session = (await h.db.sql<{ id: string }>('SELECT id FROM sessions'))[0]?.id ?? '';
    await h.db.sql('DELETE FROM attempts');
    for (const key of [
      accountTriesKey(ann.id),
      `${deviceTriesPrefix(ann.id)}a`,
      `${deviceTriesPrefix(ann.id)}b`,
      'login:from:203.0.113.7',
    ])
      await h.db.sql('INSERT INTO attempts (key, count, window_start_ms) VALUES (?, 5, ?)', [key, h.clock.now()]);
    const topics = [`account:${ann.id}`, `session:${session}`, `user:${ann.id}`];
    expect(await topicsDuring(h, topics, () => reset(first))).toEqual(topics);
    expect(await stored()).toMatchObject({ password_hash: `plain:${NEW}`, password_version: 2 });
    expect(await h.db.sql('SELECT id FROM sessions')).toEqual([]);
    expect(await h.db.sql('SELECT key FROM attempts')).toEqual([{ key: 'login:from:203.0.113.7' }]);
    expect([await codeOf(reset(first)), await codeOf(reset(second))]).toEqual([
      'RESET_LINK_INVALID',
      'RESET_LINK_INVALID',
    ]);
    const left = await h.db.sql<{ used_ms: number | null }>("SELECT used_ms FROM one_time_tokens WHERE kind = 'reset'");
    expect(left.map(({ used_ms: used }) => used !== null)).toEqual([true, true]);
  });

  test('the event of a new password says from which device and address, or that the device is unknown', async () => {
    const heard: unknown[] = [];
    const emit = (async (_: unknown, name: string, payload: object, ctx: unknown) => {
      heard.push([name, payload, ctx]);
    }) as IdentityDeps['events']['emit'];
    await reset(await ask(), NEW, { events: { emit } });
    h.clock.advance(DAY);
    const token = await ask();
    await parts({ events: { emit } }).reset({ ...CTX, userAgent: '' }, { token, password: NEW });
    const actor = { userId: ann.id, sessionId: '', username: 'ann', permissions: [], verified: false };
    expect(heard).toMatchObject([
      ['user.password_reset', { userId: ann.id, device: 'Firefox · Linux', address: '203.0.113.7' }, { actor }],
      ['user.password_reset', { userId: ann.id, device: '–', address: '203.0.113.7' }, { actor }],
    ]);
  });

  test('S7 the link proves an unconfirmed address, and removes the second factor where the host requires proof', async () => {
    const factor = { userId: ann.id, secret: 'sealed', enabledMs: 1, lastStep: 0 };
    const nothing = { pending: null, pendingMs: null, pendingSession: null };
    const unproven = async (asks: boolean) => {
      await h.set({ mail_verification: false });
      await h.db.sql('UPDATE users SET verified_ms = NULL');
      await h.db.uow.run((tx) => tx.factors.save({ ...factor, ...nothing }));
      await h.db.sql('DELETE FROM audit');
      h.clock.advance(DAY);
      const over = {
        settings: { current: () => ({ ...h.host.services.settings.current(), mail_verification: asks }) },
      };
      await reset(await ask(), NEW, over);
      const left = await h.db.uow.read((tx) => tx.factors.find(ann.id));
      return [left?.secret ?? null, (await stored())?.verified_ms, await audited()];
    };
    expect(await unproven(false)).toEqual(['sealed', h.clock.now(), ['account.verify', 'account.password_reset']]);
    expect(await unproven(true)).toEqual([
      null,
      h.clock.now(),
      ['account.reclaimed', 'account.verify', 'account.password_reset'],
    ]);
    // Of one that was confirmed nothing goes.
    await h.db.uow.run((tx) => tx.factors.save({ ...factor, ...nothing }));
    await h.db.sql('DELETE FROM audit');
    h.clock.advance(DAY);
    await reset(await ask());
    expect([(await h.db.uow.read((tx) => tx.factors.find(ann.id)))?.secret, await audited()]).toEqual([
      'sealed',
      ['account.password_reset'],
    ]);
  });

  test('S7 whoever hears that an account was reclaimed and proven finds it so, one after the other', async () => {
    const heard: unknown[] = [];
    const emit = (async (tx: Tx, name: string) => {
      await Bun.sleep(1);
      const factor = await tx.factors.find(ann.id);
      heard.push([name, factor?.secret ?? null, (await tx.identity.findUser(ann.id))?.verifiedMs]);
    }) as IdentityDeps['events']['emit'];
    await h.db.sql('UPDATE users SET verified_ms = NULL');
    const factor = { userId: ann.id, secret: 'sealed', enabledMs: 1, lastStep: 0 };
    await h.db.uow.run((tx) => tx.factors.save({ ...factor, pending: null, pendingMs: null, pendingSession: null }));
    const settings = { current: () => ({ ...h.host.services.settings.current(), mail_verification: true }) };
    await reset(await ask(), NEW, { settings, events: { emit } });
    expect(heard).toEqual([
      ['user.reclaimed', null, null],
      ['user.verified', null, h.clock.now()],
      ['user.password_reset', null, h.clock.now()],
    ]);
  });

  test('T36 a link that ended while the password was hashed changes nothing', async () => {
    const token = await ask();
    const during = (text: string) => ({
      verify: async () => false,
      hash: async (password: string) => {
        await h.db.sql(text);
        return `plain:${password}`;
      },
    });
    for (const text of ["UPDATE users SET status = 'banned'", 'UPDATE users SET password_version = 7']) {
      expect(await codeOf(reset(token, NEW, { passwords: during(text) }))).toBe('RESET_LINK_INVALID');
      await h.db.sql("UPDATE users SET status = 'active', password_version = 1");
    }
    expect(await codeOf(reset(token, NEW, { passwords: during('DELETE FROM one_time_tokens') }))).toBe(
      'RESET_LINK_INVALID',
    );
    expect((await stored())?.password_hash).not.toBe(`plain:${NEW}`);
    expect(await h.db.sql('SELECT id FROM sessions')).toHaveLength(1);
  });
});
