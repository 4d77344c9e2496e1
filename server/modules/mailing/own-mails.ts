import { DomainError, type FieldErrors } from '#shared/errors.ts';
import { LOCALES, type Locale } from '#shared/i18n/locales.ts';
import { OWN_TEMPLATES, OWN_VARIABLES, unknownVariables, type MailContent, type MailKind } from '#shared/mails.ts';
import type { SettingValues } from '#shared/settings.ts';
import { writeAudit } from '../audit/index.ts';
import { runOnce } from '../idempotency/index.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { Tx, UnitOfWork } from '../tx.ts';
import type { OwnMail } from './own-ports.ts';
import { toPreview, type MailPreview } from './preview.ts';
import type { Mailing } from './service.ts';
import { findText, type MailTexts } from './texts.ts';
import type { Unsubscribing } from './unsubscribing.ts';

/** What staff write of a mail in one language, with what concerns the whole mail. */
interface OwnMailInput {
  readonly name: string;
  readonly kind: MailKind;
  readonly link: string;
  readonly locale: Locale;
  readonly content: MailContent;
}
export interface OwnMailDeps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly mailing: Pick<Mailing, 'renderContent' | 'sendContent' | 'isConfigured'>;
  readonly settings: { current(): Pick<SettingValues, 'app_lang' | 'mail_verification'> };
  readonly texts: (locale: Locale) => MailTexts;
  readonly unsubscribing: Pick<Unsubscribing, 'pageOf'>;
}
export type OwnMails = ReturnType<typeof createOwnMails>;

/** Mails that hosts write themselves, to be sent to several users (behaviour 8.5). */
export function createOwnMails(deps: OwnMailDeps) {
  const { uow, texts } = deps;

  /** Every one, the newest first. Throws FORBIDDEN. */
  async function list(ctx: SignedIn) {
    assertMay(ctx, 'admin.mail.templates.list');
    return uow.read(async (tx) => {
      const rows: (OwnMail & { readonly isSending: boolean; readonly sentMs: number | null })[] = [];
      for (const mail of await tx.ownMails.list()) {
        const [last] = await tx.ownMails.listCampaigns(mail.id, 1);
        rows.push({ ...mail, isSending: last?.state === 'sending', sentMs: last?.createdMs ?? null });
      }
      return rows;
    });
  }

  /** One in a language, and how it looks to the caller. Throws FORBIDDEN, NOT_FOUND. */
  async function get(ctx: SignedIn, id: string, locale: Locale) {
    assertMay(ctx, 'admin.mail.templates.edit');
    return uow.read(async (tx) => {
      const mail = await getMail(tx, id);
      const content = mail.contents[locale] ?? {
        subject: '',
        blocks: [{ kind: 'text' as const, text: findText(texts, locale, ['greeting']) }],
      };
      return {
        mail,
        locale,
        content,
        written: LOCALES.filter((each) => mail.contents[each] !== undefined),
        variables: OWN_VARIABLES,
        preview: await renderPreview(tx, deps, ctx, { ...mail, locale, content }),
      };
    });
  }

  /** How what is being written looks. Throws FORBIDDEN. */
  async function preview(ctx: SignedIn, input: OwnMailInput): Promise<MailPreview> {
    assertMay(ctx, 'admin.mail.templates.edit');
    return uow.read((tx) => renderPreview(tx, deps, ctx, input));
  }

  /** What would be deleted. Throws FORBIDDEN, NOT_FOUND. */
  async function dependants(ctx: SignedIn, id: string): Promise<{ mail: OwnMail; campaigns: number }> {
    assertMay(ctx, 'admin.mail.templates.delete');
    return uow.read(async (tx) => ({
      mail: await getMail(tx, id),
      campaigns: (await tx.ownMails.listCampaigns(id, 100)).length,
    }));
  }

  return { list, get, preview, dependants, ...createCommands(deps) };
}

/** What makes, changes, tries and deletes one. */
function createCommands(deps: OwnMailDeps) {
  const { uow, clock, ids } = deps;

  /** Makes one that says nothing but its greeting yet. Out: its id. Throws FORBIDDEN. */
  function create(ctx: SignedIn, { name, kind }: Pick<OwnMailInput, 'name' | 'kind'>): Promise<{ id: string }> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.mail.templates.create');
      const nowMs = clock.now();
      const id = ids.uuid();
      const mail = {
        id,
        name,
        kind,
        link: '/dashboard',
        contents: {},
        revision: 1,
        createdMs: nowMs,
        updatedMs: nowMs,
      };
      await tx.ownMails.add({ ...mail, updatedBy: ctx.actor.userId });
      await writeAudit(tx, deps, ctx, { action: 'mailTemplates.create', target: id, after: { name, kind } });
      return { id };
    });
  }

  /**
   * Stores one. In: the revision that the caller saw. Throws FORBIDDEN, NOT_FOUND, CONFLICT where somebody else stored
   * another one since, and VALIDATION_FAILED with VARIABLE_UNKNOWN or REQUIRED at `subject` or `blocks`.
   */
  function save(ctx: SignedIn, id: string, input: OwnMailInput, seen: number): Promise<{ revision: number }> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.mail.templates.edit');
      assertOwnContent(input.content);
      const before = await getMail(tx, id);
      const { name, kind, link, locale, content } = input;
      const contents = { ...before.contents, [locale]: content };
      const revision = seen + 1;
      const mail = {
        ...before,
        name,
        kind,
        link,
        contents,
        revision,
        updatedMs: clock.now(),
        updatedBy: ctx.actor.userId,
      };
      if (!(await tx.ownMails.update(mail, seen))) throw new DomainError('CONFLICT');
      await writeAudit(tx, deps, ctx, {
        action: 'mailTemplates.edit',
        target: `${id}.${locale}`,
        before: toAuditFacts(before, before.contents[locale]),
        after: toAuditFacts(input, content),
      });
      return { revision };
    });
  }

  /** Sends the caller what is being written. Out: the mail's id. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED. */
  function sendTest(ctx: SignedIn, id: string, input: OwnMailInput): Promise<{ mail: string }> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.mail.templates.edit');
      assertOwnContent(input.content);
      await getMail(tx, id);
      const draft = await draftFor(tx, deps, ctx.actor.userId, input);
      if (!draft) throw new DomainError('NOT_FOUND');
      // Without a unique key there is always a new one.
      return { mail: (await deps.mailing.sendContent(tx, draft)) ?? '' };
    });
  }

  /** Deletes one; what was sent of it stays in the outbox. Throws FORBIDDEN, NOT_FOUND, CONFLICT while it is sent. */
  async function remove(ctx: SignedIn, id: string): Promise<void> {
    assertMay(ctx, 'admin.mail.templates.delete');
    await uow.run(async (tx) => {
      const mail = await getMail(tx, id);
      if ((await tx.ownMails.listCampaigns(id, 1))[0]?.state === 'sending') throw new DomainError('CONFLICT');
      await tx.ownMails.remove(id);
      await writeAudit(tx, deps, ctx, { action: 'mailTemplates.delete', target: id, before: { name: mail.name } });
    });
  }

  return { create, save, sendTest, remove };
}

async function renderPreview(tx: Tx, deps: OwnMailDeps, ctx: SignedIn, input: OwnMailInput): Promise<MailPreview> {
  const draft = await draftFor(tx, deps, ctx.actor.userId, input);
  if (!draft) throw new DomainError('NOT_FOUND');
  return toPreview(deps.mailing.renderContent(draft), draft.address);
}

/** The mail for one user, ready to be written; null where they are gone. */
export async function draftFor(
  tx: Tx,
  { unsubscribing }: Pick<OwnMailDeps, 'unsubscribing'>,
  userId: string,
  { kind, link, locale, content }: Pick<OwnMailInput, 'kind' | 'link' | 'locale' | 'content'>,
) {
  const contact = await tx.identity.findContact(userId);
  if (!contact || contact.status === 'deleted') return null;
  const { username, firstName, address, timeZone } = contact;
  return {
    userId,
    address,
    timeZone,
    locale,
    content,
    template: OWN_TEMPLATES[kind],
    vars: { name: firstName || username, username, path: link },
    unsubscribe: unsubscribing.pageOf(userId, kind),
  };
}

/** Throws NOT_FOUND. */
export async function getMail(tx: Tx, id: string): Promise<OwnMail> {
  const mail = await tx.ownMails.find(id);
  if (!mail) throw new DomainError('NOT_FOUND');
  return mail;
}

const toAuditFacts = (
  { name, kind, link }: Pick<OwnMail, 'name' | 'kind' | 'link'>,
  content: MailContent | undefined,
) => ({
  name,
  kind,
  link,
  subject: content?.subject ?? '',
  text: (content?.blocks ?? []).map(({ text }) => text).join('\n'),
});

function assertOwnContent({ subject, blocks }: MailContent): void {
  const fields: FieldErrors = {};
  if (unknownVariables(subject, OWN_VARIABLES).length > 0) fields.subject = ['VARIABLE_UNKNOWN'];
  if (unknownVariables(blocks.map(({ text }) => text).join('\n'), OWN_VARIABLES).length > 0)
    fields.blocks = ['VARIABLE_UNKNOWN'];
  else if (blocks.some(({ kind, text }) => kind !== 'divider' && text.trim() === '')) fields.blocks = ['REQUIRED'];
  if (Object.keys(fields).length > 0) throw new DomainError('VALIDATION_FAILED', { fields });
}
