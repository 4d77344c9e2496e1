import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { ErrorCode } from '#shared/errors.ts';
import { ApiError } from '#shared/contract/client.ts';
import { DAY, MINUTE } from '#shared/time.ts';
import { call } from '#tests/support/call.ts';
import { claim, unlink } from '#tests/support/discord/joining.ts';
import { openLinking, type Linking } from '#tests/support/discord/linking.ts';
import { FAULTS, type Person as DiscordPerson } from '#tests/support/discord/stand-in.ts';
import { confirmWho, type Person } from '#tests/support/harness.ts';

// Shows behaviour 3.6.

let h: Linking;
let ann: Person;
let vlad: DiscordPerson;
beforeEach(async () => {
  h = await openLinking();
  ann = await h.person('ann');
  vlad = h.discord.person('vlad');
});
afterEach(() => h.close());

/** The code a call is refused with. */
async function refusal(work: Promise<unknown>): Promise<ErrorCode | null> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error === null) return null;
  if (error instanceof ApiError) return error.code;
  throw error;
}
const finish = (person: Person, body: { code: string; state: string }) =>
  refusal(person.api.linked.finishDiscord({ body }));
const shown = async (person: Person) => (await person.api.linked.get()).discord;

test('linking, seeing it and unlinking are audited, and the user is notified', async () => {
  expect(await shown(ann)).toEqual({ available: true, identity: null, can_unlink: false });
  await h.link(ann, vlad.id);
  const { identity, can_unlink } = await shown(ann);
  expect({ name: identity?.name, relink: identity?.relink, can_unlink }).toEqual({
    name: 'vlad',
    relink: false,
    can_unlink: true,
  });
  expect((await ann.api.notifications.list()).notifications).toMatchObject([
    { kind: 'identityLinked', data: { name: 'vlad' } },
  ]);
  await ann.api.linked.unlink({ params: { id: identity?.id ?? '' } });
  expect((await shown(ann)).identity).toBeNull();
  const audit = await h.db.sql<{ action: string }>(
    "SELECT action FROM audit WHERE action LIKE 'account.%link' ORDER BY at_ms, id",
  );
  expect(audit.map(({ action }) => action)).toEqual(['account.link', 'account.unlink']);
  // The consent ends at Discord as well.
  expect(h.discord.world.grants.map(({ alive }) => alive)).toEqual([false]);
});

test('T31 linking Discord and unlinking it ask who sits there, and both are mailed', async () => {
  const mails = () => h.db.sql("SELECT template FROM mails WHERE template LIKE 'identity%' ORDER BY id");
  expect(await refusal(ann.api.linked.startDiscord())).toBe('CONFIRM_REQUIRED');
  expect(await h.db.sql('SELECT * FROM link_attempts')).toEqual([]);
  const begun = await h.consented(ann, vlad.id);
  // Whoever takes their time at Discord still comes back in time.
  await h.pass(10 * MINUTE - 1);
  expect(await finish(ann, begun)).toBeNull();
  await h.pass(1);
  const id = (await shown(ann)).identity?.id ?? '';
  const unlink = () => refusal(ann.api.linked.unlink({ params: { id } }));
  expect(await unlink()).toBe('CONFIRM_REQUIRED');
  expect(await refusal(ann.api.linked.startDiscord())).toBe('CONFIRM_REQUIRED');
  expect((await shown(ann)).identity?.id).toBe(id);
  // Renewing what is linked is no new way in, and not mailed.
  await h.link(ann, vlad.id);
  expect(await mails()).toEqual([{ template: 'identityLinked' }]);
  expect(await unlink()).toBeNull();
  expect(await mails()).toEqual([{ template: 'identityLinked' }, { template: 'identityUnlinked' }]);
});

test('T50 tokens and verifiers are sealed in the database, and no answer holds them', async () => {
  await confirmWho(ann);
  const { url } = await ann.api.linked.startDiscord();
  await h.link(ann, vlad.id);
  const [grant] = h.discord.world.grants;
  const tables = JSON.stringify([
    await h.db.sql('SELECT * FROM linked_identities'),
    await h.db.sql('SELECT * FROM link_attempts'),
    await h.db.sql('SELECT * FROM audit'),
  ]);
  const answer = JSON.stringify(await shown(ann));
  for (const secret of [
    grant?.access ?? '-',
    grant?.refresh ?? '-',
    new URL(url).searchParams.get('state') ?? '-',
    h.discord.settings.discord_client_secret,
  ]) {
    expect(tables).not.toContain(secret);
    expect(answer).not.toContain(secret);
  }
  expect(tables).toContain('sealed:1:');
});

describe('T33', () => {
  test('T33 a state is good once, in the session it was made in, until it ends', async () => {
    const mallory = await h.person('mallory');
    const begun = await h.consented(ann, vlad.id);
    // Login CSRF: somebody else's way back, brought to another session.
    expect(await finish(mallory, begun)).toBe('LINK_STATE_INVALID');
    expect(await finish(ann, { ...begun, state: 'undefined' })).toBe('LINK_STATE_INVALID');
    expect(await finish(ann, { ...begun, state: `${begun.state}x` })).toBe('LINK_STATE_INVALID');
    expect(await finish(ann, begun)).toBeNull();
    expect(await finish(ann, begun)).toBe('LINK_STATE_INVALID');
    const late = await h.consented(ann, vlad.id);
    await h.pass(10 * MINUTE);
    expect(await finish(ann, late)).toBe('LINK_STATE_INVALID');
    expect((await shown(mallory)).identity).toBeNull();
  });

  test('T33 a missing state or code is refused, whatever its type', async () => {
    for (const body of [
      {},
      { code: 'a' },
      { state: 'a' },
      { code: null, state: null },
      { code: 'a', state: '' },
      { code: ['a'], state: ['a'] },
      { code: 'a\n', state: 'a' },
    ]) {
      expect((await call(h.harness, ann, 'POST', '/api/account/linked/discord', body)).status).toBe(422);
    }
  });

  test('T33 another session of the same user cannot end it either', async () => {
    const begun = await h.consented(ann, vlad.id);
    await h.db.sql("UPDATE link_attempts SET session_id = '01890000-0000-7000-8000-000000000000' RETURNING state_hash");
    expect(await finish(ann, begun)).toBe('LINK_STATE_INVALID');
  });

  test('T33 fifty ways back at once with one state end one link', async () => {
    const begun = await h.consented(ann, vlad.id);
    const codes = await Promise.all(Array.from({ length: 50 }, () => finish(ann, begun)));
    // The limit of the endpoint is met before the fifty are over.
    expect(codes.filter((code) => code === null)).toHaveLength(1);
    expect(new Set(codes)).toEqual(new Set([null, 'LINK_STATE_INVALID', 'RATE_LIMITED']));
    expect(await h.db.sql('SELECT id FROM linked_identities')).toHaveLength(1);
  });

  test('T33 a code injected from elsewhere does not go with the verifier', async () => {
    const own = await h.consented(ann, vlad.id);
    const mallory = await h.person('mallory');
    const theirs = await h.consented(mallory, h.discord.person('mallory').id);
    expect(await finish(ann, { code: theirs.code, state: own.state })).toBe('LINK_REFUSED');
    expect((await shown(ann)).identity).toBeNull();
  });

  test('T33 an identity that is linked elsewhere stays there; neither name nor address moves it', async () => {
    await h.link(ann, vlad.id);
    const bob = await h.person('vlad');
    expect(await finish(bob, await h.consented(bob, vlad.id))).toBe('IDENTITY_TAKEN');
    expect((await shown(ann)).identity?.name).toBe('vlad');
    expect((await shown(bob)).identity).toBeNull();
    const namesake = h.discord.person('vlad');
    expect(await finish(bob, await h.consented(bob, namesake.id))).toBeNull();
  });

  test('T33 a second Discord account is refused while one is linked, and the same one again renews the link', async () => {
    await h.link(ann, vlad.id);
    expect(await finish(ann, await h.consented(ann, h.discord.person('second').id))).toBe('ALREADY_LINKED');
    vlad.username = 'vlad_the_miner';
    expect(await finish(ann, await h.consented(ann, vlad.id))).toBeNull();
    expect((await shown(ann)).identity?.name).toBe('vlad_the_miner');
    expect(await h.db.sql('SELECT id FROM linked_identities')).toHaveLength(1);
  });

  test('T33 an identity is bound to one of fifty accounts that want it at once', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, (_, index) => h.person(`person${index}`)));
    const begun = await Promise.all(people.map((person) => h.consented(person, vlad.id)));
    const codes = await Promise.all(
      people.map((person, index) => finish(person, begun[index] ?? { code: '', state: '' })),
    );
    expect(codes.filter((code) => code === null)).toHaveLength(1);
    expect(codes.filter((code) => code === 'IDENTITY_TAKEN')).toHaveLength(19);
  });
});

test('a consent with less than the identity is no link', async () => {
  expect(await finish(ann, await h.consented(ann, vlad.id, ['guilds']))).toBe('LINK_REFUSED');
});

test.each([
  ['no answer to the code', FAULTS.badGateway('POST /oauth2/token')],
  ['the answer to the code is lost', { call: 'POST /oauth2/token', cut: 'after' as const }],
  ['no answer to who it is', { call: 'GET /users/@me', cut: 'before' as const }],
  ['a limit', FAULTS.limited('GET /users/@me', 'user', 2)],
])('%s: nothing is linked, the attempt is used up, and a new one works', async (_, fault) => {
  h.discord.fault(fault);
  const begun = await h.consented(ann, vlad.id);
  expect(await finish(ann, begun)).toBe('PROVIDER_UNAVAILABLE');
  expect((await shown(ann)).identity).toBeNull();
  expect(await finish(ann, begun)).toBe('LINK_STATE_INVALID');
  await h.pass(MINUTE);
  expect(await finish(ann, await h.consented(ann, vlad.id))).toBeNull();
});

describe('unlinking', () => {
  test('unlinking needs another way in', async () => {
    await h.link(ann, vlad.id);
    const { identity } = await shown(ann);
    const unlink = () => refusal(ann.api.linked.unlink({ params: { id: identity?.id ?? '' } }));
    await h.db.sql("UPDATE users SET password_hash = '' WHERE username = 'ann' RETURNING id");
    expect((await shown(ann)).can_unlink).toBe(false);
    expect(await unlink()).toBe('LAST_WAY_IN');
    await h.db.sql("UPDATE users SET password_hash = 'x' WHERE username = 'ann' RETURNING id");
    expect(await unlink()).toBeNull();
    expect(await unlink()).toBe('NOT_FOUND');
  });

  test('T24 unlinking is nobody else’s to do', async () => {
    await h.link(ann, vlad.id);
    const { identity } = await shown(ann);
    const bob = await h.person('bob');
    expect(await refusal(bob.api.linked.unlink({ params: { id: identity?.id ?? '' } }))).toBe('NOT_FOUND');
    expect((await shown(ann)).identity).not.toBeNull();
  });

  test('unlinking happens here even where Discord cannot be asked', async () => {
    await h.link(ann, vlad.id);
    const { identity } = await shown(ann);
    h.discord.fault({ call: 'POST /oauth2/token/revoke', cut: 'before' });
    await ann.api.linked.unlink({ params: { id: identity?.id ?? '' } });
    expect((await shown(ann)).identity).toBeNull();
  });
});

test('without an application there is nothing to link', async () => {
  await h.set({ discord_client_secret: '' });
  expect((await shown(ann)).available).toBe(false);
  expect(await refusal(ann.api.linked.startDiscord())).toBe('FEATURE_DISABLED');
});

test('T16 a user who was ever linked to the same identity is known for good', async () => {
  const bob = await h.person('bob');
  await h.link(ann, vlad.id);
  await ann.api.linked.unlink({ params: { id: (await shown(ann)).identity?.id ?? '' } });
  await h.pass(DAY);
  await h.link(bob, vlad.id);
  const { identities } = h.host.services;
  const facts = await h.db.uow.read(async (tx) => ({
    ann: await identities.listUsersSharing(tx, ann.id),
    bob: await identities.listUsersSharing(tx, bob.id),
    now: await identities.listByUser(tx, bob.id),
  }));
  expect(facts).toMatchObject({
    ann: [bob.id],
    bob: [ann.id],
    now: [{ provider: 'discord', subject: vlad.id, name: 'vlad', accountCreatedMs: Date.UTC(2020, 0, 1) }],
  });
});

test('T56 no table holds the id of the Discord account once unlinked, and it is still known for what it was paid', async () => {
  const { id, guildId } = await h.entry();
  await h.link(ann, vlad.id);
  h.discord.join(vlad.id, guildId);
  expect(await claim(ann, id)).toBe('paid');
  await unlink(ann);
  const tables = await h.db.sql<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT NULL",
  );
  expect(tables.length).toBeGreaterThan(30);
  for (const { name } of tables)
    expect([name, JSON.stringify(await h.db.sql(`SELECT * FROM "${name}"`)).includes(vlad.id)]).toEqual([name, false]);
  const bob = await h.person('bob');
  await h.link(bob, vlad.id);
  expect(await claim(bob, id)).toBe('J4R_ALREADY_PAID');
});
