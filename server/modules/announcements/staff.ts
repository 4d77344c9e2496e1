import { announcementState, AUDIENCE_COUNTED, type AnnouncementAudience } from '#shared/announcements.ts';
import { DomainError, fieldError } from '#shared/errors.ts';
import { picturesIn } from '#shared/picture-url.ts';
import type { AnnouncementInput } from '#shared/schemas/announcement.ts';
import { writeAudit } from '../audit/index.ts';
import { runOnce } from '../idempotency/index.ts';
import type { SignedIn } from '../kernel.ts';
import { assertMay } from '../permit.ts';
import type { Tx } from '../tx.ts';
import { ANNOUNCEMENTS_TOPIC, textFor, type AnnouncementsDeps } from './deps.ts';
import type { Announcement, AnnouncementContent, AnnouncementCursor, AnnouncementRow, StaffQuery } from './ports.ts';
import { announce } from './publishing.ts';

/** Announcements of a page of the list. */
const PAGE = 25;
/** Revisions that are kept and shown of each. */
const REVISIONS = 30;

export type StaffAnnouncements = ReturnType<typeof createStaffAnnouncements>;

/** Announcements for staff (behaviour 7.4): every command asks for its permission itself. */
export function createStaffAnnouncements(deps: AnnouncementsDeps) {
  return { ...readingOf(deps), ...writingOf(deps), sendPreview: previewOf(deps) };
}

/** What staff read. */
function readingOf({ uow, long, clock, settings }: AnnouncementsDeps) {
  /** A page of those that are looked for, the newest first. Throws FORBIDDEN. */
  async function list(ctx: SignedIn, query: StaffQuery, before: AnnouncementCursor | null) {
    assertMay(ctx, 'admin.announcements.list');
    return uow.read(async (tx) => {
      const nowMs = clock.now();
      const ids = await tx.announcements.listAll({ ...query, nowMs }, before, PAGE + 1);
      const found = await tx.announcements.load(ids.slice(0, PAGE), false);
      const last = found.at(-1);
      return {
        rows: found.map((one) => ({
          ...one,
          state: announcementState(one, nowMs),
          title: textFor(one.texts, ctx.locale, settings.current().app_lang).title,
        })),
        older: ids.length > PAGE && last ? { ms: last.createdMs, id: last.id } : null,
      };
    });
  }

  /** What an announcement may be for. Throws FORBIDDEN. */
  async function options(ctx: SignedIn) {
    assertMay(ctx, 'admin.announcements.create');
    return uow.read(listTargets);
  }

  /**
   * How many users one would be for, as of now: counted up to `AUDIENCE_COUNTED`, away from the thread that answers.
   * Out: `isMore`: there are more. Throws FORBIDDEN, SERVER_UNAVAILABLE.
   */
  async function countAudience(
    ctx: SignedIn,
    of: { audience: AnnouncementAudience; targets: readonly string[] },
  ): Promise<{ count: number; isMore: boolean }> {
    // Not the right to create: who may only edit changes audiences as well.
    assertMay(ctx, 'admin.announcements.list');
    const found = await long.read((tx) => tx.announcements.countAudience(of, AUDIENCE_COUNTED + 1), { for: 'visitor' });
    return { count: Math.min(found, AUDIENCE_COUNTED), isMore: found > AUDIENCE_COUNTED };
  }

  /** One as it is written, with its history. Throws FORBIDDEN, NOT_FOUND. */
  async function get(ctx: SignedIn, id: string) {
    assertMay(ctx, 'admin.announcements.edit');
    return uow.read(async (tx) => {
      const one = await getWhole(tx, id);
      return {
        ...one,
        state: announcementState(one, clock.now()),
        title: textFor(one.texts, ctx.locale, settings.current().app_lang).title,
        revisions: await tx.announcements.listRevisions(id, REVISIONS),
        ...(await listTargets(tx)),
      };
    });
  }

  /** What would be deleted. Throws FORBIDDEN, NOT_FOUND. */
  async function dependants(ctx: SignedIn, id: string): Promise<{ title: string; seen: number }> {
    assertMay(ctx, 'admin.announcements.delete');
    return uow.read(async (tx) => {
      const { texts, seen } = await getWhole(tx, id);
      return { title: textFor(texts, ctx.locale, settings.current().app_lang).title, seen };
    });
  }

  return { list, options, countAudience, get, dependants };
}

async function listTargets(tx: Tx) {
  const named = ({ id, name }: { id: string; name: string }) => ({ id, name });
  return {
    roles: await tx.access.listRoleNames(),
    locations: (await tx.catalog.locations()).map(named),
  };
}

/** Throws NOT_FOUND. */
async function getWhole(tx: Tx, id: string): Promise<Announcement> {
  const [one] = await tx.announcements.load([id], true);
  if (!one) throw new DomainError('NOT_FOUND');
  return one;
}

/** What staff write. */
function writingOf(deps: AnnouncementsDeps) {
  const { uow, clock, ids } = deps;

  /** Makes one, once an Idempotency-Key. Throws FORBIDDEN, VALIDATION_FAILED. */
  function create(ctx: SignedIn, input: AnnouncementInput): Promise<{ id: string }> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.announcements.create');
      const content = await toContent(tx, deps, input);
      const row: AnnouncementRow = {
        ...columnsOf(content),
        id: ids.uuid(),
        announcedMs: null,
        revision: 1,
        seen: 0,
        authorId: ctx.actor.userId,
        createdMs: clock.now(),
        updatedMs: clock.now(),
      };
      await tx.announcements.add(row);
      await storeParts(deps, tx, row, content);
      await writeAudit(tx, deps, ctx, { action: 'announcements.create', target: row.id, after: toAuditFacts(content) });
      return { id: row.id };
    });
  }

  /**
   * Changes one. In: the revision that the caller saw. Throws FORBIDDEN, NOT_FOUND, VALIDATION_FAILED; CONFLICT where
   * somebody else changed it since.
   */
  function update(ctx: SignedIn, id: string, input: AnnouncementInput, seen: number): Promise<{ revision: number }> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.announcements.edit');
      return change(tx, ctx, id, seen, 'announcements.edit', () => toContent(tx, deps, input));
    });
  }

  /**
   * Brings back what a revision said, as a new revision; times, audience and bell stay as they are, so that nothing old
   * is published by it. Throws as `update`, NOT_FOUND also for the revision.
   */
  function restore(ctx: SignedIn, id: string, revision: number, seen: number): Promise<{ revision: number }> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.announcements.edit');
      return change(tx, ctx, id, seen, 'announcements.restore', async (now) => {
        const old = await tx.announcements.findRevision(id, revision);
        if (!old) throw new DomainError('NOT_FOUND');
        const { texts, tags, picture } = old;
        return { ...contentOf(now), texts, tags, picture };
      });
    });
  }

  async function change(
    tx: Tx,
    ctx: SignedIn,
    id: string,
    seen: number,
    action: string,
    toNext: (now: Announcement) => Promise<AnnouncementContent>,
  ): Promise<{ revision: number }> {
    const row = await tx.announcements.lock(id);
    if (!row) throw new DomainError('NOT_FOUND');
    if (row.revision !== seen) throw new DomainError('CONFLICT');
    const before = await getWhole(tx, id);
    const content = await toNext(before);
    const next = {
      ...row,
      ...columnsOf(content),
      revision: seen + 1,
      authorId: ctx.actor.userId,
      updatedMs: clock.now(),
    };
    await tx.announcements.update(id, next);
    await storeParts(deps, tx, next, content);
    await writeAudit(tx, deps, ctx, {
      action,
      target: id,
      before: toAuditFacts(contentOf(before)),
      after: toAuditFacts(content),
    });
    return { revision: next.revision };
  }

  /** Deletes one for good. Throws FORBIDDEN, NOT_FOUND. */
  function remove(ctx: SignedIn, id: string): Promise<void> {
    return runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.announcements.delete');
      if (!(await tx.announcements.lock(id))) throw new DomainError('NOT_FOUND');
      const before = toAuditFacts(contentOf(await getWhole(tx, id)));
      await tx.announcements.remove(id);
      await writeAudit(tx, deps, ctx, { action: 'announcements.delete', target: id, before });
      tx.touch(ANNOUNCEMENTS_TOPIC);
    });
  }

  return { create, update, restore, remove };
}

/** Stores what hangs on a row, keeps it as a revision, and announces it where it is shown now. */
async function storeParts(
  deps: AnnouncementsDeps,
  tx: Tx,
  row: AnnouncementRow,
  content: AnnouncementContent,
): Promise<void> {
  const pictures = [content.picture, ...content.texts.flatMap(({ body }) => picturesIn(body))].filter(Boolean);
  await tx.announcements.replaceParts(row.id, content, pictures);
  const { revision, authorId } = row;
  await tx.announcements.addRevision(row.id, { revision, content, authorId, createdMs: deps.clock.now() }, REVISIONS);
  await announce(deps, tx, row.id);
  // It may have been shown, and may be no more.
  tx.touch(ANNOUNCEMENTS_TOPIC);
}

/** What an input says, checked against what there is. Throws VALIDATION_FAILED. */
async function toContent(tx: Tx, { clock }: AnnouncementsDeps, input: AnnouncementInput): Promise<AnnouncementContent> {
  const { publish_at: publishAt, end_at: endAt, texts, tags, targets, ...rest } = input;
  const publishMs = publishAt === 'now' ? clock.now() : publishAt === null ? null : Date.parse(publishAt);
  const endMs = endAt === null ? null : Date.parse(endAt);
  if (endMs !== null && publishMs !== null && endMs <= publishMs) throw fieldError('end_at', 'END_BEFORE_START');
  const { roles, locations } = await listTargets(tx);
  const known = { everyone: [], roles, locations }[rest.audience].map(({ id }) => id);
  const wanted = rest.audience === 'everyone' ? [] : [...new Set(targets)];
  if (wanted.some((id) => !known.includes(id))) throw fieldError('targets', 'UNAVAILABLE');
  // No picture that it names is being removed meanwhile.
  await tx.settings.lock();
  if (rest.picture !== '' && (await tx.pictures.kindOf(rest.picture)) !== 'announcement')
    throw fieldError('picture', 'UNAVAILABLE');
  return { ...rest, texts, tags: [...new Set(tags)], targets: wanted.toSorted(), publishMs, endMs };
}

/** What stands in the row itself. */
const columnsOf = ({
  picture,
  audience,
  pinned,
  urgent,
  notifies,
  mails,
  pushes,
  publishMs,
  endMs,
}: AnnouncementContent) => ({
  picture,
  audience,
  pinned,
  urgent,
  notifies,
  mails,
  pushes,
  publishMs,
  endMs,
});

const contentOf = (one: Announcement): AnnouncementContent => ({
  ...columnsOf(one),
  texts: one.texts,
  tags: one.tags,
  targets: one.targets,
});

/** What the audit log keeps: not the texts, which the history has. */
const toAuditFacts = ({ texts, tags, targets, ...facts }: AnnouncementContent) => ({
  name: texts[0]?.title ?? '',
  languages: texts.map(({ locale }) => locale).join(' '),
  tags: tags.join(', '),
  targets: targets.join(', '),
  ...facts,
});

/**
 * Notifies the caller as the audience would be, by the ways that they chose themselves: the bell, and mail and push
 * where the announcement has them. It leads to the editor. Throws FORBIDDEN, NOT_FOUND.
 */
function previewOf(deps: AnnouncementsDeps) {
  const { uow, clock } = deps;
  return (ctx: SignedIn, id: string): Promise<void> =>
    runOnce({ uow, now: clock.now() }, ctx, async (tx) => {
      assertMay(ctx, 'admin.announcements.edit');
      const { texts, mails, pushes } = await getWhole(tx, id);
      const { title } = textFor(texts, ctx.locale, deps.settings.current().app_lang);
      const { userId } = ctx.actor;
      await deps.events.emit(tx, 'announcement.previewed', { announcementId: id, userId, title, mails, pushes });
    });
}
