import { DomainError, type FieldErrors } from '#shared/errors.ts';
import { LOCALES, type Locale } from '#shared/i18n/locales.ts';
import { MAIL_TEMPLATES, unknownVariables, type MailContent, type ProductMail } from '#shared/mails.ts';
import type { SettingValues } from '#shared/settings.ts';
import { writeAudit } from '../audit/index.ts';
import { runOnce } from '../idempotency/index.ts';
import type { Clock, Ids, SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { UnitOfWork } from '../tx.ts';
import { MAIL_TEXTS_TOPIC, type MailTemplate, type StoredContent } from './ports.ts';
import type { Mailing } from './service.ts';
import { defaultContent, needsButton, requiredVariables, variablesOf } from './template.ts';
import { exampleOf, renderPreview, type MailPreview } from './preview.ts';
import type { MailTexts } from './texts.ts';

/** A mail in one language, as staff edit it. */
interface TemplateView {
  readonly template: ProductMail;
  readonly locale: Locale;
  readonly content: MailContent;
  /** The product's own. */
  readonly original: MailContent;
  /** What is stored; null: the product's own content counts. */
  readonly stored: Omit<StoredContent, 'content'> | null;
  /** The languages whose content was changed. */
  readonly changed: readonly Locale[];
  readonly variables: readonly string[];
}
interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly mailing: Pick<Mailing, 'renderContent' | 'sendContent'>;
  readonly settings: { current(): Pick<SettingValues, 'server_renew_cost'> };
  readonly texts: (locale: Locale) => MailTexts;
}
export type StaffMailTemplates = ReturnType<typeof createStaffMailTemplates>;

/** The product's mails for staff, each with its content in every language (behaviour 8.5). */
export function createStaffMailTemplates(deps: Deps) {
  const { uow, texts } = deps;

  /** Every mail with its subject in a language, and what was changed. Throws FORBIDDEN. */
  async function list(ctx: SignedIn, locale: Locale) {
    assertMay(ctx, 'admin.mail.templates.list');
    const stored = await uow.read((tx) => tx.mailTexts.list());
    return MAIL_TEMPLATES.map((template) => {
      const own = stored.filter((each) => each.template === template);
      const content = own.find((each) => each.locale === locale)?.content ?? defaultContent(texts, template, locale);
      return {
        template,
        subject: content.subject,
        changed: LOCALES.filter((each) => own.some((one) => one.locale === each)),
        updatedMs: own.reduce<number | null>((last, { updatedMs }) => Math.max(last ?? 0, updatedMs), null),
      };
    });
  }

  /** A mail in a language, and how it looks to the caller. Throws FORBIDDEN, NOT_FOUND. */
  async function get(ctx: SignedIn, name: string, locale: Locale): Promise<TemplateView & { preview: MailPreview }> {
    assertMay(ctx, 'admin.mail.templates.edit');
    const template = toTemplate(name);
    return uow.read(async (tx) => {
      const own = (await tx.mailTexts.list()).filter((each) => each.template === template);
      const found = own.find((each) => each.locale === locale) ?? null;
      const original = defaultContent(texts, template, locale);
      const content = found?.content ?? original;
      return {
        template,
        locale,
        content,
        original,
        stored: found,
        changed: LOCALES.filter((each) => own.some((one) => one.locale === each)),
        variables: variablesOf(template),
        preview: await renderPreview(tx, deps, ctx, { template, locale, content, userId: ctx.actor.userId }),
      };
    });
  }

  /** What a reset would take away: the languages whose content was changed. Throws FORBIDDEN, NOT_FOUND. */
  async function listChanges(ctx: SignedIn, name: string): Promise<{ template: ProductMail; changed: Locale[] }> {
    assertMay(ctx, 'admin.mail.templates.delete');
    const template = toTemplate(name);
    const stored = await uow.read((tx) => tx.mailTexts.list());
    const isOwn = (locale: Locale) => stored.some((each) => each.template === template && each.locale === locale);
    return { template, changed: LOCALES.filter(isOwn) };
  }

  /**
   * How a content that is being written looks, with the data of the caller, or of the user of a name or address. What
   * it has between braces that is no variable stays as it was typed. Throws FORBIDDEN, NOT_FOUND; VALIDATION_FAILED
   * with UNKNOWN at `user`.
   */
  async function preview(
    ctx: SignedIn,
    name: string,
    { locale, content, user }: { readonly locale: Locale; readonly content: MailContent; readonly user: string },
  ): Promise<MailPreview> {
    assertMay(ctx, 'admin.mail.templates.edit');
    // What is shown is what they could read on the user's page.
    if (user !== '') assertMay(ctx, 'admin.users.edit');
    return uow.read(async (tx) => {
      const found = user === '' ? { id: ctx.actor.userId } : await tx.identity.findUserByLogin(user);
      if (!found) throw new DomainError('VALIDATION_FAILED', { fields: { user: ['UNKNOWN'] } });
      return renderPreview(tx, deps, ctx, { template: toTemplate(name), locale, content, userId: found.id });
    });
  }

  return { list, get, listChanges, preview, ...createCommands(deps) };
}

/** What changes the content of a mail, or sends it. */
function createCommands(deps: Deps) {
  const { uow, clock, mailing, texts } = deps;

  /**
   * Stores the content of a mail in a language. In: the revision that the caller saw, 0 for the product's own content.
   * Throws FORBIDDEN, NOT_FOUND, CONFLICT where somebody else stored another one since, and VALIDATION_FAILED with
   * VARIABLE_UNKNOWN, VARIABLE_MISSING or BUTTON_MISSING at `subject` or `blocks`.
   */
  function save(
    ctx: SignedIn,
    name: string,
    {
      locale,
      content,
      revision,
    }: { readonly locale: Locale; readonly content: MailContent; readonly revision: number },
  ): Promise<{ revision: number }> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.mail.templates.edit');
      const template = toTemplate(name);
      assertContent(template, content);
      const before = await tx.mailTexts.find(template, locale);
      if ((before?.revision ?? 0) !== revision) throw new DomainError('CONFLICT');
      const stored = await tx.mailTexts.put(
        { template, locale, content, revision: revision + 1, updatedMs: clock.now(), updatedBy: ctx.actor.userId },
        revision,
      );
      if (!stored) throw new DomainError('CONFLICT');
      tx.touch(MAIL_TEXTS_TOPIC);
      await writeAudit(tx, deps, ctx, {
        action: 'mailTemplates.edit',
        target: `${template}.${locale}`,
        before: toAuditFacts(before?.content ?? defaultContent(texts, template, locale)),
        after: toAuditFacts(content),
      });
      return { revision: revision + 1 };
    });
  }

  /** Sends the caller a mail with a content that is being written. Out: the mail's id. Throws as `save` does. */
  function sendTest(ctx: SignedIn, name: string, locale: Locale, content: MailContent): Promise<{ mail: string }> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.mail.templates.edit');
      const template = toTemplate(name);
      assertContent(template, content);
      const contact = await tx.identity.findContact(ctx.actor.userId);
      if (!contact) throw new DomainError('NOT_FOUND');
      const vars = await exampleOf(tx, deps, ctx, { locale, userId: ctx.actor.userId });
      const { address, timeZone } = contact;
      const id = await mailing.sendContent(tx, {
        userId: ctx.actor.userId,
        address,
        timeZone,
        locale,
        template,
        vars,
        content,
      });
      // Without a unique key there is always a new one.
      return { mail: id ?? '' };
    });
  }

  /** Gives a mail the product's own content back, in one language or in all. Throws FORBIDDEN, NOT_FOUND. */
  async function reset(ctx: SignedIn, name: string, locale: Locale | null): Promise<void> {
    assertMay(ctx, 'admin.mail.templates.delete');
    const template = toTemplate(name);
    await uow.run(async (tx) => {
      for (const each of LOCALES.filter((one) => locale === null || one === locale)) {
        const before = await tx.mailTexts.find(template, each);
        if (!before) continue;
        await tx.mailTexts.remove(template, each);
        tx.touch(MAIL_TEXTS_TOPIC);
        await writeAudit(tx, deps, ctx, {
          action: 'mailTemplates.reset',
          target: `${template}.${each}`,
          before: toAuditFacts(before.content),
          after: toAuditFacts(defaultContent(texts, template, each)),
        });
      }
    });
  }

  return { save, sendTest, reset };
}

function toTemplate(name: string): ProductMail {
  const found = MAIL_TEMPLATES.find((each) => each === name);
  if (!found) throw new DomainError('NOT_FOUND');
  return found;
}

/** What the audit log keeps of a content. */
const toAuditFacts = ({ subject, blocks }: MailContent) => ({
  name: subject,
  text: blocks.map(({ text }) => text).join('\n'),
});

/** Refuses a content that names what the mail has not, or lacks what it is sent for (attacks T47). */
function assertContent(template: MailTemplate, { subject, blocks }: MailContent): void {
  const allowed = variablesOf(template);
  const fields: FieldErrors = {};
  if (unknownVariables(subject, allowed).length > 0) fields.subject = ['VARIABLE_UNKNOWN'];
  const body = blocks.map(({ text }) => text).join('\n');
  if (unknownVariables(body, allowed).length > 0) fields.blocks = ['VARIABLE_UNKNOWN'];
  else if (!requiredVariables(template).every((name) => body.includes(`{{${name}}}`)))
    fields.blocks = ['VARIABLE_MISSING'];
  else if (needsButton(template) && !blocks.some(({ kind }) => kind === 'button')) fields.blocks = ['BUTTON_MISSING'];
  else if (blocks.some(({ kind, text }) => kind !== 'divider' && text.trim() === '')) fields.blocks = ['REQUIRED'];
  if (Object.keys(fields).length > 0) throw new DomainError('VALIDATION_FAILED', { fields });
}
