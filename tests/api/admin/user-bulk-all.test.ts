import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createUserBulkAll } from '#server/modules/people/index.ts';
import { ApiError } from '#shared/contract/client.ts';
import { DAY } from '#shared/time.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 8.3: commands on all users who fit a filter.
setDefaultTimeout(300_000);

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    (error: unknown) =>
      error instanceof ApiError ? [error.code, ...Object.keys(error.fields)].join(' ') : Promise.reject(error),
  );
const SUBJECT = { subject: 'Maintenance', text: 'Tonight at ten.' };

describe.each(ENGINES)('commands on all who fit, on %s', (engine) => {
  let h: Harness;
  let staff: Person;
  beforeEach(async () => {
    h = await openHarness({ engine });
    staff = await h.person('oana', { permissions: ['admin.users.edit', 'admin.users.list'] });
  });
  afterEach(() => h.close());

  const bulk = (by = staff) => by.api.adminUserBulk;
  const run = async () => (await bulk().latestRun()).run;
  const mails = () =>
    h.db.sql<{ user_id: string }>("SELECT user_id FROM mails WHERE template = 'staffMessage' ORDER BY user_id");
  const roleId = async (name: string) =>
    (await staff.api.adminUsers.list()).roles.find((role) => role.name === name)?.id ?? '';
  /** Adds users without a confirmed address, the oldest first. */
  async function addUsers(count: number): Promise<void> {
    const member = await roleId('Member');
    const values = Array.from({ length: count }, (_, at) => {
      const number = String(at).padStart(4, '0');
      const name = `u${number}`;
      return `('01890000-0000-7000-8000-00000000${number}', '${name}', '${name}', '${name}@x.org', '${name}@x.org', '', '', '', '${member}', 'en', 'active', 0, 1, ${at + 1}, 0)`;
    });
    await h.db.sql(
      `INSERT INTO users (id, username, username_key, email, email_key, password_hash, first_name, last_name, role_id, locale, status, terms_ms, password_version, created_ms, updated_ms) VALUES ${values.join(', ')}`,
    );
  }

  test('all who fit are counted to the last one, get what was asked for once, and whoever started it is notified', async () => {
    await addUsers(450);
    const asked = { unverified: 'true' } as const;
    expect((await bulk().countAll({ query: asked })).count).toBe(450);
    const body = { filter: 'unverified=true', ...SUBJECT };
    const key = crypto.randomUUID();
    const { id } = await bulk().writeAll({ body }, { key });
    expect(await bulk().writeAll({ body }, { key })).toMatchObject({ id });
    expect(await codeOf(bulk().confirmAll({ body: { filter: '' } }))).toBe('CONFLICT');
    expect(await run()).toMatchObject({ id, kind: 'write', state: 'running', by: 'oana', total: 450, done: 0 });
    // Whoever registers now is not meant.
    await h.person('late');
    await h.db.sql("UPDATE users SET verified_ms = NULL, created_ms = created_ms + 1 WHERE username = 'late'");
    await h.drainJobs();
    expect(await run()).toMatchObject({ state: 'done', done: 450, refused: 0 });
    const sent = (await mails()).map(({ user_id }) => user_id);
    expect([sent.length, new Set(sent).size]).toEqual([450, 450]);
    const { notifications } = await staff.api.notifications.list();
    expect(notifications.map(({ kind, data }) => [kind, data])).toEqual([['bulkDone', { done: 450, refused: 0 }]]);
    // Neither the words nor the filter are kept.
    expect(await h.db.sql('SELECT question, input FROM user_bulk_runs')).toEqual([{ question: '{}', input: '{}' }]);
  });

  test('a run that is killed between any two users goes on where it stood, and two workers at once do nothing twice', async () => {
    await addUsers(12);
    await bulk().writeAll({ body: { filter: 'q=u00', ...SUBJECT } });
    const { id = '' } = (await run()) ?? {};
    const services = h.host.services;
    for (const after of [1, 2, 5]) {
      let left = after;
      const dying = createUserBulkAll({
        ...services,
        findPlaceTrace: () => null,
        uow: {
          ...services.uow,
          run: (work) => ((left -= 1) < 0 ? Promise.reject(new Error('killed')) : services.uow.run(work)),
        },
      });
      const worked = dying.jobs['people.bulk']?.handle({ id });
      expect(await worked?.catch((error: Error) => error.message)).toBe('killed');
    }
    expect(await run()).toMatchObject({ state: 'running', done: 8 });
    const whole = createUserBulkAll({ ...services, findPlaceTrace: () => null });
    await Promise.all([1, 2].map(() => whole.jobs['people.bulk']?.handle({ id })));
    await h.drainJobs();
    expect(await run()).toMatchObject({ state: 'done', done: 12, refused: 0 });
    expect(await mails()).toHaveLength(12);
  });

  test('T40 a role is given by the rule for one, with the rights of whoever started it at that moment', async () => {
    await addUsers(3);
    const peer = await h.person('peer', { permissions: ['admin.users.edit'] });
    const helper = '0190a000-0000-7000-8000-00000000000a';
    await h.db.sql("UPDATE roles SET rank = 30 WHERE name IN ('role-oana', 'role-peer')");
    await h.db.sql(
      "INSERT INTO roles (id, key, name, color, rank, is_default, created_ms, updated_ms) VALUES (?, NULL, 'Helper', '#888888', 20, 0, 0, 0)",
      [helper],
    );
    await bulk().setRoleAll({ body: { filter: '', role: helper } });
    await h.drainJobs();
    // Neither a peer nor the one who does it.
    expect(await run()).toMatchObject({ state: 'done', done: 3, refused: 2 });
    expect((await staff.api.adminUsers.list({ query: { role: helper } })).rows).toHaveLength(3);
    await bulk().confirmAll({ body: { filter: 'unverified=true' } });
    await h.db.sql("UPDATE users SET status = 'banned' WHERE id = ?", [staff.id]);
    await h.drainJobs();
    const stopped = (await peer.api.adminUserBulk.latestRun()).run;
    expect(stopped).toMatchObject({ kind: 'confirm', state: 'stopped', done: 0 });
    // A role that is not there stops it all: everybody would be refused.
    await peer.api.adminUserBulk.setRoleAll({ body: { filter: '', role: staff.id } });
    await h.drainJobs();
    expect((await peer.api.adminUserBulk.latestRun()).run).toMatchObject({ state: 'stopped', done: 0, refused: 0 });
  });

  test('a run is cancelled between two users, a wrong filter means nobody, and an old outcome is forgotten', async () => {
    await addUsers(210);
    for (const filter of ['unverified=yes', 'nothing=1', 'role=x'])
      expect(await codeOf(bulk().confirmAll({ body: { filter } }))).toBe('VALIDATION_FAILED filter');
    await bulk().confirmAll({ body: { filter: 'seen=never&unverified=true' } });
    const { id = '' } = (await run()) ?? {};
    await createUserBulkAll({ ...h.host.services, findPlaceTrace: () => null }).jobs['people.bulk']?.handle({ id });
    expect(await run()).toMatchObject({ state: 'running', done: 200, refused: 0 });
    await bulk().cancelRun({ params: { id } });
    expect(await codeOf(bulk().cancelRun({ params: { id } }))).toBe('NOT_FOUND');
    await h.drainJobs();
    expect(await run()).toMatchObject({ state: 'cancelled', done: 200 });
    expect((await bulk().countAll({ query: { unverified: 'true' } })).count).toBe(10);
    const ann = await h.person('ann');
    expect(await codeOf(ann.api.adminUserBulk.latestRun())).toBe('FORBIDDEN');
    h.clock.advance(31 * DAY);
    await h.host.services.userBulkAll.purge();
    expect(await h.db.sql('SELECT id FROM user_bulk_runs')).toEqual([]);
  });
});
