import type { Locale } from '#shared/i18n/locales.ts';
import type { MailContent } from '#shared/mails.ts';
import { isAlways, isNotificationKind, NOTIFICATION_KINDS } from '#shared/notifications.ts';
import { href } from '#shared/routes/href.ts';
import type { SettingValues } from '#shared/settings.ts';
import { SECOND } from '#shared/time.ts';
import type { Bus, Clock, Ids } from '../kernel.ts';
import { createTopicCache } from '../topic-cache.ts';
import type { Tx } from '../tx.ts';
import { enqueueMail, type MailWindow } from './delivery.ts';
import {
  MAIL_TEXTS_TOPIC,
  type MailConfig,
  type MailContact,
  type MailOrigin,
  type MailTemplate,
  type MailVars,
} from './ports.ts';
import { renderMail, type RenderInput } from './render.ts';
import { defaultContent } from './template.ts';
import type { MailTexts } from './texts.ts';

/** How long a process goes by what it knows of the hosts' contents: another one may have changed them. */
const KNOWN_MS = 5 * SECOND;

export interface MailingDeps {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: {
    current(): Pick<
      SettingValues,
      'app_name' | 'app_timezone' | 'support_url' | 'support_email' | 'ticket_mail_enabled'
    >;
  };
  /** Texts of the namespace `mail` in a language. */
  readonly texts: (locale: Locale) => MailTexts;
  /**
   * Public address of the installation, without a slash at the end: links are made from it, never from a request
   * (attacks T36).
   */
  readonly appUrl: () => string;
  /** The mail server in force; null: mails are kept in the outbox for reading. */
  readonly mailServer: () => Pick<MailConfig, 'fromAddress'> | null;
}
interface MailDraft<T extends MailTemplate> extends MailWindow {
  readonly userId: string | null;
  readonly address: string;
  readonly locale: Locale;
  /** IANA name, in which its times are written; null or absent: the installation's. */
  readonly timeZone?: string | null;
  readonly template: T;
  readonly vars: MailVars[T];
  /** What is sent once only: a second mail with the same key is not made. */
  readonly uniqueKey?: string | undefined;
  /** The ticket that an answer to it is for. */
  readonly ticketId?: string | undefined;
}
export type Mailing = ReturnType<typeof createMailing>;

/**
 * Mails (behaviour 8.5): every one is a row of the outbox, written with the change it tells of; a job sends it after
 * commit.
 */
export function createMailing(deps: MailingDeps) {
  const { clock, ids, mailServer } = deps;
  const findOwnContent = ownContentFinder(deps);

  /** Whether a mail server is configured; otherwise e-mails stay in the outbox. */
  function isConfigured(): boolean {
    return mailServer() !== null;
  }

  /** The product's own e-mail as it would be sent, without writing it down. */
  function render<T extends MailTemplate>(draft: Pick<MailDraft<T>, 'template' | 'locale' | 'vars' | 'timeZone'>) {
    const { template, locale, vars } = draft;
    const content = defaultContent(deps.texts, template, locale);
    return renderContent({ ...draft, vars: { ...vars }, content, choices: choicesOf(template) });
  }

  /** The Message-ID of the e-mail of an id, with its angle brackets. */
  function messageIdOf(id: string): string {
    return `<${id}@${domainOf(mailServer()?.fromAddress ?? '', deps.appUrl())}>`;
  }

  /**
   * Writes an e-mail into the outbox and, with a mail server, enqueues its delivery. False when its unique key exists
   * already.
   */
  async function send<T extends MailTemplate>(tx: Tx, draft: MailDraft<T>): Promise<boolean> {
    const { template, locale } = draft;
    const content = (await findOwnContent(tx, template, locale)) ?? defaultContent(deps.texts, template, locale);
    return (
      (await sendContent(tx, { ...draft, content, vars: { ...draft.vars }, choices: choicesOf(template) })) !== null
    );
  }

  const renderContent = (draft: ContentDraft) => renderDraft(deps, draft);

  /**
   * The same with a content of its own. Out: the id of the mail in the outbox; null where its unique key exists
   * already.
   */
  async function sendContent(
    tx: Tx,
    draft: Omit<MailDraft<MailTemplate>, 'vars' | 'template'> &
      Pick<RenderInput, 'content' | 'vars' | 'unsubscribe' | 'choices'> & { readonly template: MailOrigin },
  ): Promise<string | null> {
    const { template, locale } = draft;
    const rendered = renderContent({ ...draft, isAnswerable: draft.ticketId !== undefined });
    const id = ids.uuid();
    const nowMs = clock.now();
    const added = await tx.mail.add({
      id,
      template,
      locale,
      ...rendered,
      userId: draft.userId,
      address: draft.address,
      uniqueKey: draft.uniqueKey ?? null,
      ticketId: draft.ticketId ?? null,
      messageId: messageIdOf(id),
      createdMs: nowMs,
      state: isConfigured() ? 'queued' : 'kept',
      dueMs: draft.fromMs ?? null,
    });
    if (!added) return null;
    tx.touch('mail');
    if (isConfigured()) await enqueueMail(tx, deps, id, draft);
    return id;
  }

  /**
   * Sends an e-mail to a user in their language and time zone, addressed by their first name; `more`: when it may
   * leave, at any time when absent, and how to write to the user, where the caller has read it. False when the user is
   * deleted or unknown, or the unique key exists already.
   */
  async function sendTo<T extends MailTemplate>(
    tx: Tx,
    userId: string,
    template: T,
    vars: Omit<MailVars[T], 'name'>,
    uniqueKey?: string,
    more: MailWindow & { readonly ticketId?: string | undefined; readonly contact?: MailContact | undefined } = {},
  ): Promise<boolean> {
    const contact = more.contact ?? (await tx.identity.findContact(userId));
    if (!contact || contact.status === 'deleted') return false;
    const name = contact.firstName || contact.username;
    const { address, locale, timeZone } = contact;
    const { untilMs, fromMs, ticketId } = more;
    const draft = { userId, address, locale, timeZone, template, uniqueKey, untilMs, fromMs, ticketId };
    return send(tx, { ...draft, vars: { ...vars, name } as MailVars[T] });
  }

  return { isConfigured, render, renderContent, messageIdOf, send, sendContent, sendTo };
}

/** Finds what the host made of one of the product's mails, as far as it is not remembered; null: nothing. */
function ownContentFinder({ bus, clock }: Pick<MailingDeps, 'bus' | 'clock'>) {
  const contents = createTopicCache<{ readonly content: MailContent | null }>({
    bus,
    now: () => clock.now(),
    max: 500,
    maxAgeMs: KNOWN_MS,
    clearOn: [MAIL_TEXTS_TOPIC],
  });
  return async (tx: Tx, template: MailTemplate, locale: Locale): Promise<MailContent | null> => {
    const found = await contents.get(
      `${template}.${locale}`,
      () => [],
      async () => ({ content: (await tx.mailTexts.find(template, locale))?.content ?? null }),
    );
    return found?.content ?? null;
  };
}

/** Where users choose whether mails of a template come (behaviour 7.5); undefined for those that nobody turns off. */
function choicesOf(template: MailTemplate): string | undefined {
  const isChosen =
    template === 'notification' ||
    template === 'notificationDigest' ||
    (isNotificationKind(template) && !isAlways(NOTIFICATION_KINDS[template]));
  return isChosen ? `${href('account')}?tab=notifications` : undefined;
}

type ContentDraft = Pick<RenderInput, 'content' | 'locale' | 'vars' | 'unsubscribe' | 'choices'> & {
  readonly timeZone?: string | null | undefined;
  /** Its receiver may answer it, where answers come in. */
  readonly isAnswerable?: boolean;
};
/** A content with its variables filled in. `timeZone`: that of the installation when absent. */
function renderDraft(
  { texts, appUrl, settings }: Pick<MailingDeps, 'texts' | 'appUrl' | 'settings'>,
  { content, locale, vars, unsubscribe, choices, timeZone, isAnswerable = false }: ContentDraft,
) {
  const values = settings.current();
  const { app_name: app, app_timezone: ownZone, support_url: url, support_email: email } = values;
  const support = [url, email].filter(Boolean).join(' · ');
  const common = { app, timeZone: timeZone ?? ownZone, appUrl: appUrl(), support };
  const takesAnswers = isAnswerable && values.ticket_mail_enabled;
  return renderMail(texts, { ...common, content, locale, vars, unsubscribe, choices, takesAnswers });
}

/** The part of Message-ID behind the @: the sender's domain, or the host of the installation. */
function domainOf(address: string, appUrl: string): string {
  const domain = address.split('@')[1] ?? /^https?:\/\/([^/:?#]+)/.exec(appUrl)?.[1] ?? 'localhost';
  return domain.replaceAll(/[^A-Za-z0-9.-]/g, '') || 'localhost';
}
