import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ApiError } from '#shared/contract/client.ts';
import { DAY } from '#shared/time.ts';
import { atOnce, codeOf, nth } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openSmtp, type SmtpStandIn } from '#tests/support/smtp.ts';

// Shows behaviour 8.5, the host's own mails, and 7.5, that they can be turned off.

setDefaultTimeout(300_000);

const faultsOf = (command: Promise<unknown>): Promise<object | null> =>
  command.then(
    () => null,
    (error: unknown) => (error instanceof ApiError ? error.fields : Promise.reject(error)),
  );

describe.each(ENGINES)('the host’s own mails on %s', (engine) => {
  let smtp: SmtpStandIn;
  let h: Harness;
  let owner: Person;
  beforeEach(async () => {
    smtp = await openSmtp();
    h = await openHarness({ engine, config: { mail: smtp.config } });
    owner = await h.person('owner', { permissions: ['admin.root'] });
  });
  afterEach(async () => {
    await h.close();
    await smtp.close();
  });

  const content = (subject = 'New for {{username}}') => ({
    locale: 'en' as 'en' | 'de',
    subject,
    blocks: [
      { kind: 'text' as const, text: 'Hi {{name}}, <b>look</b> at {{app}}.' },
      { kind: 'button' as const, text: 'See it' },
    ],
    name: 'Winter',
    kind: 'news' as 'news' | 'offers',
    link: '/store',
  });
  const create = async () => (await owner.api.adminOwnMails.create({ body: { name: 'Winter', kind: 'news' } })).id;
  /** A mail that is written in English and ready to be sent. */
  async function written(): Promise<string> {
    const id = await create();
    await owner.api.adminOwnMails.save({ params: { id }, body: { ...content(), revision: 1 } });
    return id;
  }
  const send = (id: string, body: object = {}, by = owner) =>
    by.api.adminOwnMails.send({ params: { id }, body: { revision: 2, ...body } });
  const receivers = () => smtp.delivered.map(({ to }) => to[0]).toSorted();
  const linkIn = (index: number): string => {
    const header = nth(smtp.delivered, index).mail.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '';
    return /^<https:\/\/panel\.example\.com(\/api\/webhooks\/unsubscribe\/[\w.-]+)>$/.exec(header)?.[1] ?? '';
  };
  const click = (path: string, method = 'POST') =>
    h.http(path, {
      method,
      redirect: 'manual',
      ...(method === 'POST'
        ? {
            headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
            body: 'List-Unsubscribe=One-Click',
          }
        : {}),
    });

  test('a mail goes once to each active user who wants it, in their language, with a way to stop it', async () => {
    const [ann, ben, cem] = [await h.person('ann'), await h.person('ben'), await h.person('cem')];
    await h.person('dan');
    await h.db.sql("UPDATE users SET locale = 'de' WHERE id = ?", [ann.id]);
    await h.db.sql("UPDATE users SET locale = 'fr' WHERE id = ?", [ben.id]);
    await h.db.sql("UPDATE users SET status = 'banned' WHERE username = 'dan'");
    await cem.api.mailKinds.save({ body: { kinds: ['offers'] } });
    expect((await cem.api.mailKinds.get()).kinds).toEqual(['offers']);
    const id = await written();
    const german = { ...content('Neu für {{username}}'), locale: 'de' as const, revision: 2 };
    await owner.api.adminOwnMails.save({ params: { id }, body: german });
    expect(await owner.api.adminOwnMails.count({ params: { id }, body: {} })).toMatchObject({ count: 3 });
    expect(await owner.api.adminOwnMails.count({ params: { id }, body: { locale: 'de' } })).toMatchObject({ count: 1 });
    await send(id, { revision: 3 });
    await h.drainJobs();
    expect(smtp.delivered.map(({ to, mail }) => [to[0], mail.subject]).toSorted()).toEqual([
      ['ann@example.com', 'Neu für ann'],
      ['ben@example.com', 'New for ben'],
      ['owner@example.com', 'New for owner'],
    ]);
    const { mail } = nth(smtp.delivered, 0);
    expect(mail.html).toContain('&lt;b&gt;look&lt;/b&gt;');
    expect(mail.html).toContain('href="https://panel.example.com/store"');
    expect(mail.text).toContain('https://panel.example.com/unsubscribe/');
    expect(mail.headers.find(({ key }) => key === 'list-unsubscribe-post')?.value).toBe('List-Unsubscribe=One-Click');
    const { campaigns } = await owner.api.adminOwnMails.campaigns({ params: { id } });
    expect(campaigns).toMatchObject([{ state: 'done', total: 3, written: 3, created_by: 'owner' }]);
    const { rows } = await owner.api.adminMails.list({ query: { template: 'ownNews' } });
    expect(rows).toHaveLength(3);
  });

  test('nobody gets a mail twice, however many send it at once, and whatever is killed and run again', async () => {
    for (const name of ['ann', 'ben', 'cem', 'dan']) await h.person(name);
    const id = await written();
    expect(await atOnce(4, () => send(id))).toEqual({ ok: 1, CONFLICT: 3 });
    await Promise.all([1, 2, 3].map(() => h.host.runner.runDue()));
    // A process that died before its place was noted comes back to a campaign that is where it was.
    await h.db.sql("UPDATE mail_campaigns SET state = 'sending', last_user_id = '', ended_ms = NULL");
    await h.db.sql("UPDATE jobs SET state = 'ready', run_at_ms = 0 WHERE kind = 'mail.campaign'");
    await h.drainJobs();
    expect(receivers()).toHaveLength(5);
    expect(new Set(receivers()).size).toBe(5);
  });

  test('one click in a mail program stops the mails at once, also those that wait, and works again and again', async () => {
    const ann = await h.person('ann');
    const id = await written();
    await send(id);
    await h.drainJobs();
    const link = linkIn(smtp.delivered.findIndex(({ to }) => to[0] === 'ann@example.com'));
    const page = await click(link, 'GET');
    expect([page.status, page.headers.get('location')]).toEqual([
      expect.any(Number),
      link.replace('/api/webhooks/unsubscribe/', '/unsubscribe/'),
    ]);
    expect((await ann.api.mailKinds.get()).kinds).toEqual(['news', 'offers']);
    await send(id);
    await h.host.runner.runDue({ kind: 'mail.campaign', most: 1 });
    expect([(await click(link)).status, (await click(link)).status]).toEqual([200, 200]);
    expect((await ann.api.mailKinds.get()).kinds).toEqual(['offers']);
    smtp.delivered.length = 0;
    await h.drainJobs();
    expect(receivers()).toEqual(['owner@example.com']);
    expect((await owner.api.adminMails.list({ query: { q: 'ann@', state: 'cancelled' } })).rows).toHaveLength(1);
    const token = link.split('/').at(-1) ?? '';
    expect(await h.guest.mailKinds.byLink({ params: { token } })).toMatchObject({ kind: 'news', wanted: false });
    await h.guest.mailKinds.saveByLink({ params: { token }, body: { wanted: true } });
    expect((await ann.api.mailKinds.get()).kinds).toEqual(['news', 'offers']);
  });

  test('T36 a link that nobody here signed turns nothing off, neither of another user nor of another kind', async () => {
    const ann = await h.person('ann');
    await send(await written());
    await h.drainJobs();
    const token =
      linkIn(smtp.delivered.findIndex(({ to }) => to[0] === 'owner@example.com'))
        .split('/')
        .at(-1) ?? '';
    const [user, , signature] = token.split('.');
    for (const forged of [
      `${ann.id}.news.${signature}`,
      `${user}.offers.${signature}`,
      `${user}.news.${signature?.slice(1)}`,
      `${user}.news.`,
      'x',
    ]) {
      expect([forged, (await click(`/api/webhooks/unsubscribe/${forged}`)).status]).toEqual([forged, 400]);
      expect(await codeOf(h.guest.mailKinds.byLink({ params: { token: forged } }))).toBe('NOT_FOUND');
    }
    expect((await ann.api.mailKinds.get()).kinds).toEqual(['news', 'offers']);
  });

  test('an address that a mail server refused for good is left out, and so is whoever was not seen lately', async () => {
    const [ann, ben] = [await h.person('ann'), await h.person('ben')];
    await h.db.sql('UPDATE users SET seen_ms = ?', [h.clock.now()]);
    await h.db.sql('UPDATE users SET seen_ms = ? WHERE id = ?', [h.clock.now() - 40 * DAY, ben.id]);
    const id = await written();
    const count = async (body: object) => (await owner.api.adminOwnMails.count({ params: { id }, body })).count;
    expect([await count({}), await count({ seen: 'quarter' }), await count({ seen: 'month' })]).toEqual([3, 3, 2]);
    smtp.next.push({ at: 'rcpt', code: 550, text: '5.1.1 no such box' });
    await h.db.uow.run((tx) => h.host.services.mailing.sendTo(tx, ann.id, 'serverDeleted', { server: 'S', path: '/' }));
    await h.drainJobs();
    expect(await count({})).toBe(2);
  });

  test('sending stops when it is cancelled, and a mail that is being sent is not deleted', async () => {
    for (const name of ['ann', 'ben']) await h.person(name);
    const id = await written();
    const { id: campaign } = await send(id);
    expect(await codeOf(owner.api.adminOwnMails.remove({ params: { id } }))).toBe('CONFLICT');
    await owner.api.adminOwnMails.cancel({ params: { id: campaign } });
    await h.drainJobs();
    expect(smtp.asked).toEqual([]);
    expect(await codeOf(owner.api.adminOwnMails.cancel({ params: { id: campaign } }))).toBe('CONFLICT');
    expect(await owner.api.adminOwnMails.dependants({ params: { id } })).toMatchObject({
      name: 'Winter',
      campaigns: 1,
    });
    await owner.api.adminOwnMails.remove({ params: { id } });
    expect((await owner.api.adminOwnMails.list()).rows).toEqual([]);
  });

  test('T47 T41 unknown variables and links that run scripts are refused, and a conflict is met', async () => {
    const id = await written();
    const save = (change: object) =>
      faultsOf(owner.api.adminOwnMails.save({ params: { id }, body: { ...content(), revision: 2, ...change } }));
    expect(await save({ subject: '{{server}}' })).toEqual({ subject: ['VARIABLE_UNKNOWN'] });
    expect(await save({ blocks: [{ kind: 'text', text: '{{#each users}}' }] })).toEqual({
      blocks: ['VARIABLE_UNKNOWN'],
    });
    for (const link of ['javascript:alert(1)', '//evil.example', '/\\evil.example', 'http://x.example', 'store'])
      expect([link, await save({ link })]).toEqual([link, { link: ['INVALID'] }]);
    expect(await save({ link: 'https://shop.example/winter' })).toBeNull();
    expect(await codeOf(owner.api.adminOwnMails.save({ params: { id }, body: { ...content(), revision: 2 } }))).toBe(
      'CONFLICT',
    );
    // What was changed since the visitor looked is not sent.
    expect(await codeOf(send(id))).toBe('CONFLICT');
    expect(await codeOf(send(await create(), { revision: 1 }))).toBe('CONFLICT');
  });

  test('whoever writes templates sends them to nobody but themselves without the right to edit users', async () => {
    const writer = await h.person('writer', {
      permissions: ['admin.mail.templates.edit', 'admin.mail.templates.list', 'admin.mail.templates.create'],
    });
    const support = await h.person('support', { permissions: ['admin.users.edit'] });
    const id = await written();
    expect(await codeOf(send(id, {}, writer))).toBe('FORBIDDEN');
    expect(await codeOf(writer.api.adminOwnMails.count({ params: { id }, body: {} }))).toBe('FORBIDDEN');
    expect(await codeOf(support.api.adminOwnMails.get({ params: { id } }))).toBe('FORBIDDEN');
    expect(await support.api.adminOwnMails.count({ params: { id }, body: {} })).toMatchObject({ count: 3 });
    await writer.api.adminOwnMails.test({ params: { id }, body: content() });
    await h.drainJobs();
    expect(receivers()).toEqual(['writer@example.com']);
  });
});

test('without a mail server nothing is sent to many', async () => {
  const h = await openHarness();
  const owner = await h.person('owner', { permissions: ['admin.root'] });
  const { id } = await owner.api.adminOwnMails.create({ body: { name: 'Winter', kind: 'offers' } });
  expect(await codeOf(owner.api.adminOwnMails.send({ params: { id }, body: { revision: 1 } }))).toBe('MAIL_NO_SERVER');
  await h.close();
});
