import { DomainError } from '#shared/errors.ts';
import { MAIL_KINDS, OWN_TEMPLATES, type MailKind } from '#shared/mails.ts';
import type { Clock, SignedIn } from '../kernel.ts';
import type { UnitOfWork } from '../tx.ts';
import type { StoredMail } from './ports.ts';

const USER = /^[0-9a-f-]{36}$/;

interface Deps {
  readonly uow: UnitOfWork;
  readonly clock: Clock;
  /** HMAC-SHA256 of a text under the key of a purpose, base64url. */
  readonly keyed: { mac(purpose: string, text: string): string };
  /** Public address of the installation, without a slash at the end. */
  readonly appUrl: () => string;
}
export type Unsubscribing = ReturnType<typeof createUnsubscribing>;

/** The kind of one of the host's own mails, by the name of its template; null for the product's mails. */
const kindOfTemplate = (template: string): MailKind | null =>
  MAIL_KINDS.find((kind) => template === OWN_TEMPLATES[kind]) ?? null;

/**
 * Which of the host's own mails users want (behaviour 7.5). Links in them need no log-in and never expire: each has the
 * user and the kind in it, signed with the installation's key (services, smtp).
 */
export function createUnsubscribing({ uow, clock, keyed, appUrl }: Deps) {
  const signatureOf = (userId: string, kind: MailKind): string => keyed.mac('mail.unsubscribe', `${userId} ${kind}`);
  const tokenOf = (userId: string, kind: MailKind): string => `${userId}.${kind}.${signatureOf(userId, kind)}`;

  /** Whom a token is about; null for what nobody here signed. */
  function parse(token: string): { userId: string; kind: MailKind } | null {
    const [userId = '', name, signature = ''] = token.split('.');
    const kind = MAIL_KINDS.find((each) => each === name);
    // Compared as hashes of both, so that how long it takes says nothing of how far a guess is right.
    const isSame = (a: string, b: string) => keyed.mac('mail.compare', a) === keyed.mac('mail.compare', b);
    if (!kind || !USER.test(userId) || !isSame(signature, signatureOf(userId, kind))) return null;
    return { userId, kind };
  }

  /** The address of the page on which a user says that they want no mails of a kind. */
  const pageOf = (userId: string, kind: MailKind): string => `${appUrl()}/unsubscribe/${tokenOf(userId, kind)}`;

  /** Headers by which mail programs unsubscribe with a click (RFC 8058); none for the product's own mails. */
  function headersOf({ template, userId }: Pick<StoredMail, 'template' | 'userId'>): Record<string, string> {
    const kind = kindOfTemplate(template);
    if (kind === null || userId === null) return {};
    return {
      'List-Unsubscribe': `<${appUrl()}/api/webhooks/unsubscribe/${tokenOf(userId, kind)}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    };
  }

  /** Whether a mail may leave: its receiver still wants its kind. */
  async function isWanted({ template, userId }: Pick<StoredMail, 'template' | 'userId'>): Promise<boolean> {
    const kind = kindOfTemplate(template);
    if (kind === null || userId === null) return true;
    return !(await uow.read((tx) => tx.ownMails.listOptOuts(userId))).includes(kind);
  }

  function write(userId: string, kind: MailKind, wanted: boolean): Promise<void> {
    return uow.run((tx) => (wanted ? tx.ownMails.optIn(userId, kind) : tx.ownMails.optOut(userId, kind, clock.now())));
  }

  /** What the link of a mail is about. Throws NOT_FOUND. */
  async function get(token: string): Promise<{ kind: MailKind; wanted: boolean }> {
    const { userId, kind } = parse(token) ?? notFound();
    return { kind, wanted: !(await uow.read((tx) => tx.ownMails.listOptOuts(userId))).includes(kind) };
  }

  /** Says by the link of a mail whether its receiver wants more of its kind. Works as often as one likes. */
  async function set(token: string, wanted: boolean): Promise<void> {
    const { userId, kind } = parse(token) ?? notFound();
    const user = await uow.read((tx) => tx.identity.findUser(userId));
    if (!user || user.status === 'deleted') throw new DomainError('NOT_FOUND');
    await write(userId, kind, wanted);
  }

  /**
   * The click of a mail program. Throws SIGNATURE_INVALID for what nobody here signed, NOT_FOUND where the user is
   * gone.
   */
  async function click(token: string): Promise<void> {
    if (!parse(token)) throw new DomainError('SIGNATURE_INVALID');
    await set(token, false);
  }

  /** The kinds of mails that the caller wants. */
  async function list({ actor }: SignedIn): Promise<MailKind[]> {
    const outs = await uow.read((tx) => tx.ownMails.listOptOuts(actor.userId));
    return MAIL_KINDS.filter((kind) => !outs.includes(kind));
  }

  /** Sets the kinds of mails that the caller wants. */
  async function save({ actor }: SignedIn, wanted: readonly MailKind[]): Promise<void> {
    for (const kind of MAIL_KINDS) await write(actor.userId, kind, wanted.includes(kind));
  }

  return { pageOf, headersOf, isWanted, get, set, click, list, save };
}

function notFound(): never {
  throw new DomainError('NOT_FOUND');
}
