import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ApiError } from '#shared/contract/client.ts';
import { MAIL_TEMPLATES, type MailBlock } from '#shared/mails.ts';
import { atOnce, codeOf, nth } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { openSmtp, type SmtpStandIn } from '#tests/support/smtp.ts';

// Shows behaviour 8.5, the templates.

setDefaultTimeout(300_000);

const READY: readonly MailBlock[] = [
  { kind: 'heading', text: '{{server}} waits for you' },
  { kind: 'facts', text: 'Address: {{address}}' },
  { kind: 'button', text: 'Play' },
];
/** The codes of a refusal by field; null where nothing was refused. */
const faultsOf = (command: Promise<unknown>): Promise<object | null> =>
  command.then(
    () => null,
    (error: unknown) => (error instanceof ApiError ? error.fields : Promise.reject(error)),
  );

describe.each(ENGINES)('what mails say, for staff on %s', (engine) => {
  let smtp: SmtpStandIn;
  let h: Harness;
  let owner: Person;
  let writer: Person;
  beforeEach(async () => {
    smtp = await openSmtp();
    h = await openHarness({ engine, config: { mail: smtp.config } });
    owner = await h.person('owner', { permissions: ['admin.root'] });
    writer = await h.person('writer', {
      permissions: ['admin.mail.templates.list', 'admin.mail.templates.edit', 'admin.mail.templates.delete'],
    });
  });
  afterEach(async () => {
    await h.close();
    await smtp.close();
  });

  const get = (id = 'serverReady', locale: 'en' | 'de' = 'en') =>
    writer.api.adminMailTemplates.get({ params: { id }, query: { locale } });
  const save = (blocks: readonly MailBlock[], change: object = {}, id = 'serverReady') =>
    writer.api.adminMailTemplates.save({
      params: { id },
      body: { locale: 'en', subject: 'Play on {{server}}', blocks: [...blocks], revision: 0, ...change },
    });
  const send = (locale: 'en' | 'de' = 'en') =>
    h.db.uow.run((tx) =>
      h.host.services.mailing.send(tx, {
        userId: null,
        address: 'mirela@mail.example',
        locale,
        template: 'serverReady',
        vars: { name: 'Mirela', server: 'Sky <b>', address: 'play.example:25565', path: '/server/1' },
      }),
    );

  test('a host’s own text counts from the next mail on, in its language only, until it is reset', async () => {
    await save(READY);
    await send();
    await send('de');
    await h.drainJobs();
    const [own, german] = [nth(smtp.delivered, 0).mail, nth(smtp.delivered, 1).mail];
    expect(own.subject).toBe('Play on Sky <b>');
    expect(own.text?.trim()).toStartWith(
      'Sky <b> waits for you\n\nAddress: play.example:25565\n\nPlay:\nhttps://panel.example.com/server/1',
    );
    expect(own.html).toContain('Sky &lt;b&gt; waits for you</h1>');
    expect(german.subject).toContain('Sky <b> ist');
    const { rows } = await writer.api.adminMailTemplates.list({});
    expect(rows.map(({ id }) => id)).toEqual([...MAIL_TEMPLATES]);
    expect(rows.find(({ id }) => id === 'serverReady')).toMatchObject({
      subject: 'Play on {{server}}',
      changed: ['en'],
    });
    const changes = await writer.api.adminMailTemplates.changes({ params: { id: 'serverReady' } });
    expect(changes.changed).toEqual(['en']);
    await writer.api.adminMailTemplates.reset({ params: { id: 'serverReady' }, body: {} });
    expect(await get()).toMatchObject({ revision: 0, changed: [], content: { subject: '{{server}} is ready' } });
    const audit = await h.db.uow.read((tx) => tx.audit.latest(2));
    expect(audit.map(({ action, target, actorId }) => [action, target, actorId])).toEqual([
      ['mailTemplates.reset', 'serverReady.en', writer.id],
      ['mailTemplates.edit', 'serverReady.en', writer.id],
    ]);
  });

  test('two who change the same mail at once: one is stored, and the other one meets the conflict', async () => {
    expect(await atOnce(5, (n) => save([{ kind: 'text', text: `Version ${n}` }]))).toEqual({ ok: 1, CONFLICT: 4 });
    const { revision, updated_by: by } = await get();
    expect([revision, by]).toEqual([1, 'writer']);
    expect(await codeOf(save(READY))).toBe('CONFLICT');
    expect(await save(READY, { revision: 1 })).toMatchObject({ revision: 2 });
  });

  test('T47 unknown variables, loops and what a mail cannot do without are refused, and nothing is stored', async () => {
    const text = (value: string): MailBlock[] => [{ kind: 'text', text: value }];
    for (const bad of [
      '{{password}}',
      '{{#each server}}x{{/each}}',
      '{{server.name}}',
      '{{',
      '{{constructor}}',
      '{{path}}',
    ])
      expect([bad, await faultsOf(save(text(bad)))]).toEqual([bad, { blocks: ['VARIABLE_UNKNOWN'] }]);
    expect(await faultsOf(save(READY, { subject: '{{code}}' }))).toEqual({ subject: ['VARIABLE_UNKNOWN'] });
    expect(await faultsOf(save(text('No code'), { subject: 'S' }, 'panelAccount'))).toEqual({
      blocks: ['VARIABLE_MISSING'],
    });
    expect(await faultsOf(save(text('No link'), { subject: 'S' }, 'passwordReset'))).toEqual({
      blocks: ['BUTTON_MISSING'],
    });
    expect(await faultsOf(save([]))).toEqual({ blocks: ['REQUIRED'] });
    expect(await faultsOf(save(Array.from({ length: 31 }, () => nth(READY, 0))))).toEqual({ blocks: ['TOO_LONG'] });
    expect(await codeOf(save(READY, {}, 'constructor'))).toBe('NOT_FOUND');
    expect((await get()).revision).toBe(0);
  });

  test('T59 a preview has the data of another user for those who may edit users, and for nobody else', async () => {
    const clerk = await h.person('clerk', { permissions: ['admin.mail.templates.edit', 'admin.users.edit'] });
    const params = { id: 'accountBannedForGood' };
    const content = { locale: 'en' as const, subject: 'For {{name}}', blocks: [{ kind: 'text' as const, text: 'x' }] };
    const look = (person: Person, user: string) =>
      person.api.adminMailTemplates.preview({ params, body: { ...content, user } });
    expect((await look(clerk, ' OWNER ')).preview).toMatchObject({ subject: 'For Test', to: 'owner@example.com' });
    expect((await look(clerk, 'writer@example.com')).preview.to).toBe('writer@example.com');
    expect((await look(clerk, '')).preview.to).toBe('clerk@example.com');
    expect(await faultsOf(look(clerk, 'nobody'))).toEqual({ user: ['UNKNOWN'] });
    expect(await codeOf(look(writer, 'owner'))).toBe('FORBIDDEN');
    // Whether there is such a user is told to nobody who may not see users.
    expect(await codeOf(look(writer, 'nobody'))).toBe('FORBIDDEN');
  });

  test('a preview has the caller’s data, and neither styles at elements nor anything that is loaded', async () => {
    const params = { id: 'serverReady' };
    const content = { locale: 'de' as const, subject: '{{name}}: {{server}}', blocks: [...READY] };
    const { preview } = await writer.api.adminMailTemplates.preview({ params, body: content });
    expect(preview.subject).toEndWith(': Laternenwald');
    expect(preview.to).toBe('writer@example.com');
    expect(preview.html).not.toMatch(/ style="|<style|src=|<script/);
    expect(preview.html).toContain('data-style="');
    expect((await get()).preview.subject).toBe('Lanternwood is ready');
    expect(smtp.asked).toEqual([]);
  });

  test('a test goes to the caller alone, once however often its answer is lost', async () => {
    const params = { id: 'serverReady' };
    const body = { locale: 'en' as const, subject: 'Try {{server}}', blocks: [...READY] };
    const again = () => writer.api.adminMailTemplates.test({ params, body }, { key: 'the-same-key-again' });
    const [first, second] = [await again(), await again()];
    expect(second.mail).toBe(first.mail);
    await h.drainJobs();
    expect(smtp.delivered.map(({ to, mail }) => [to, mail.subject])).toEqual([
      [['writer@example.com'], 'Try Lanternwood'],
    ]);
    const { mail } = await owner.api.adminMails.get({ params: { id: first.mail } });
    expect(mail).toMatchObject({ state: 'sent', username: 'writer', template: 'serverReady' });
  });

  test('whoever may only see the list reads no content, changes nothing and resets nothing', async () => {
    const reader = await h.person('reader', { permissions: ['admin.mail.templates.list'] });
    const api = reader.api.adminMailTemplates;
    const params = { id: 'serverReady' };
    const body = { locale: 'en' as const, subject: 'S', blocks: [...READY] };
    expect((await api.list({})).rows).toHaveLength(MAIL_TEMPLATES.length);
    const refused = [
      api.get({ params }),
      api.save({ params, body: { ...body, revision: 0 } }),
      api.preview({ params, body }),
      api.test({ params, body }),
      api.changes({ params }),
      api.reset({ params, body: {} }),
    ];
    expect(await Promise.all(refused.map(codeOf))).toEqual(refused.map(() => 'FORBIDDEN'));
  });
});
