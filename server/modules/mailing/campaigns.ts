import { DomainError } from '#shared/errors.ts';
import { LOCALES, type Locale } from '#shared/i18n/locales.ts';
import { AUDIENCE_SEEN, type AudienceSeen, type MailContent } from '#shared/mails.ts';
import { DAY, MINUTE, SECOND } from '#shared/time.ts';
import { writeAudit } from '../audit/index.ts';
import { runOnce } from '../idempotency/index.ts';
import { enqueue, type LeasedJob } from '../jobs/index.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { LongReads, Tx } from '../tx.ts';
import { draftFor, getMail, type OwnMailDeps } from './own-mails.ts';
import type { Audience, Campaign, MailContents } from './own-ports.ts';

/** Kind of the job that writes the mails of a campaign, some at a time. */
export const CAMPAIGN_JOB = 'mail.campaign';
/** Users of one slice: one transaction holds up nobody for long. */
const SLICE = 25;
/** So many mails may wait for the mail server before more are written: mails that users wait for come soon after. */
const WAITING_MAX = 100;
const WAITING_PAUSE_MS = 5 * SECOND;
/** Campaigns shown of one mail. */
const SHOWN = 20;

/** Whom staff choose. */
interface AudienceInput {
  readonly role?: string | undefined;
  readonly locale?: Locale | undefined;
  readonly seen?: AudienceSeen | undefined;
}
interface Deps extends OwnMailDeps {
  readonly long: LongReads;
}
export type Campaigns = ReturnType<typeof createCampaigns>;

/** Sending a host's own mail to many users, each once (behaviour 8.5). */
export function createCampaigns(deps: Deps) {
  const { uow, long, clock, ids, mailing, settings } = deps;

  /** Writing to users needs the right to edit them, whatever is written. */
  const assertMaySend = (ctx: SignedIn): void => assertMay(ctx, 'admin.users.edit');
  const toAudience = ({ role, locale, seen }: AudienceInput): Audience => ({
    roleId: role ?? null,
    locale: locale ?? null,
    seenSinceMs: seen === undefined ? null : clock.now() - AUDIENCE_SEEN[seen] * DAY,
    verified: settings.current().mail_verification,
  });

  /** A mail with what was sent of it, and the roles there are. Throws FORBIDDEN, NOT_FOUND. */
  async function get(ctx: SignedIn, mailId: string) {
    assertMaySend(ctx);
    return uow.read(async (tx) => ({
      mail: await getMail(tx, mailId),
      campaigns: await tx.ownMails.listCampaigns(mailId, SHOWN),
      roles: (await tx.access.listRoles()).map(({ id, name }) => ({ id, name })),
      sendsMail: mailing.isConfigured(),
    }));
  }

  /** How many users would get a mail. Throws FORBIDDEN, NOT_FOUND. */
  async function count(ctx: SignedIn, mailId: string, input: AudienceInput): Promise<number> {
    assertMaySend(ctx);
    const { kind } = await uow.read((tx) => getMail(tx, mailId));
    return long.read((tx) => tx.ownMails.countAudience(toAudience(input), kind), { for: 'visitor' });
  }

  /**
   * Begins to send a mail as it is now. In: the revision and the number of users that the caller saw. Throws FORBIDDEN,
   * NOT_FOUND, MAIL_NO_SERVER; CONFLICT where the mail was changed since, says nothing, or is just being sent.
   */
  async function send(
    ctx: SignedIn,
    mailId: string,
    input: AudienceInput & { readonly revision: number },
  ): Promise<{ id: string }> {
    const total = await count(ctx, mailId, input);
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      const { id: _id, revision, name, kind, link, contents } = await getMail(tx, mailId);
      if (!mailing.isConfigured()) throw new DomainError('MAIL_NO_SERVER');
      if (revision !== input.revision || Object.keys(contents).length === 0) throw new DomainError('CONFLICT');
      const id = ids.uuid();
      const audience = toAudience(input);
      const added = await tx.ownMails.addCampaign({
        id,
        mailId,
        name,
        kind,
        link,
        contents,
        audience,
        state: 'sending',
        lastUserId: '',
        total,
        written: 0,
        createdMs: clock.now(),
        createdBy: ctx.actor.userId,
        endedMs: null,
      });
      if (!added) throw new DomainError('CONFLICT');
      await enqueue(tx, ids, clock, { kind: CAMPAIGN_JOB, payload: { campaignId: id }, maxAttempts: 1000 });
      await writeAudit(tx, deps, ctx, {
        action: 'mailTemplates.send',
        target: mailId,
        after: { name, total, ...audience },
      });
      return { id };
    });
  }

  /** Stops a campaign: what is not written yet is not sent. Throws FORBIDDEN, NOT_FOUND; CONFLICT where it is over. */
  function cancel(ctx: SignedIn, id: string): Promise<Record<string, never>> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMaySend(ctx);
      const campaign = await tx.ownMails.findCampaign(id);
      if (!campaign) throw new DomainError('NOT_FOUND');
      const { name, written, total } = campaign;
      if (!(await tx.ownMails.advance(id, { ...campaign, state: 'cancelled', endedMs: clock.now() })))
        throw new DomainError('CONFLICT');
      await writeAudit(tx, deps, ctx, { action: 'mailTemplates.cancel', target: id, before: { name, written, total } });
      return {};
    });
  }

  return { get, count, send, cancel };
}

/**
 * The job of a campaign. Mails, place and end are written in one transaction, so that a killed process goes on where it
 * was and nobody gets a second one.
 */
export function createCampaignJob(deps: Deps) {
  const { uow, long, clock, settings } = deps;

  const findUsers = ({ audience, kind, lastUserId }: Campaign): Promise<string[]> =>
    long.read((tx) => tx.ownMails.listAudience(audience, kind, lastUserId, SLICE), { for: 'job' });
  /** Writes the mails of a campaign to its next users. Out: where it is then. */
  async function writeSlice(tx: Tx, campaign: Campaign, users: readonly string[]): Promise<Campaign> {
    let { written } = campaign;
    for (const userId of users) {
      const contact = await tx.identity.findContact(userId);
      const found = contentFor(campaign.contents, contact?.locale ?? null, settings.current().app_lang);
      const draft = found && (await draftFor(tx, deps, userId, { ...campaign, ...found }));
      if (draft && (await deps.mailing.sendContent(tx, { ...draft, uniqueKey: `campaign:${campaign.id}:${userId}` })))
        written += 1;
    }
    const isOver = users.length < SLICE;
    return {
      ...campaign,
      written,
      lastUserId: users.at(-1) ?? campaign.lastUserId,
      state: isOver ? 'done' : 'sending',
      endedMs: isOver ? clock.now() : null,
    };
  }

  return {
    leaseMs: MINUTE,
    endsItself: true,
    async handle(payload: unknown, job: Pick<LeasedJob, 'id' | 'leaseToken'>): Promise<void> {
      const id = idOf(payload);
      const nowMs = clock.now();
      const found = id === null ? null : await uow.read((tx) => tx.ownMails.findCampaign(id));
      // Finding a few among many may take long.
      const users = found?.state === 'sending' ? await findUsers(found) : [];
      await uow.run(async (tx) => {
        const campaign = id === null ? null : await tx.ownMails.findCampaign(id);
        if (campaign?.state !== 'sending') return void (await tx.jobs.finish(job.id, job.leaseToken, nowMs));
        // Somebody else went on with it meanwhile: these users had their mails.
        if (campaign.lastUserId !== found?.lastUserId)
          return void (await tx.jobs.reschedule(job.id, job.leaseToken, nowMs));
        if ((await tx.mail.count('queued', nowMs - DAY)) >= WAITING_MAX)
          return void (await tx.jobs.reschedule(job.id, job.leaseToken, nowMs + WAITING_PAUSE_MS));
        const next = await writeSlice(tx, campaign, users);
        await tx.ownMails.advance(campaign.id, next);
        if (next.state === 'done') await tx.jobs.finish(job.id, job.leaseToken, nowMs);
        else await tx.jobs.reschedule(job.id, job.leaseToken, nowMs);
        tx.touch('jobs');
      });
    },
  };
}

function idOf(payload: unknown): string | null {
  if (typeof payload !== 'object' || payload === null || !('campaignId' in payload)) return null;
  return typeof payload.campaignId === 'string' ? payload.campaignId : null;
}

/** What a mail says to somebody: in their language, else in the installation's, else in any. */
function contentFor(
  contents: MailContents,
  wanted: Locale | null,
  fallback: string,
): { readonly locale: Locale; readonly content: MailContent } | null {
  const order = [wanted, LOCALES.find((each) => each === fallback) ?? null, ...LOCALES];
  for (const locale of order) {
    const content = locale === null ? undefined : contents[locale];
    if (locale !== null && content) return { locale, content };
  }
  return null;
}
