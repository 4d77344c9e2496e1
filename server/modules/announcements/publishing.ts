import { announcementState } from '#shared/announcements.ts';
import { MINUTE } from '#shared/time.ts';
import { enqueue, type LeasedJob } from '../jobs/index.ts';
import type { Tx } from '../tx.ts';
import { ANNOUNCEMENTS_TOPIC, textFor, type AnnouncementsDeps } from './deps.ts';

/** Kind of the job that says in the bell of each user that there is an announcement, some users at a time. */
export const ANNOUNCE_JOB = 'announcements.announce';
/** Users of one slice: one transaction holds up nobody for long. */
const SLICE = 100;
/** Announcements that one turn of the clock begins with. */
const DUE_MAX = 20;

/**
 * Says that an announcement is shown from now on, once for good: where it is shown and nobody has heard of it. Its
 * audience hears of it in the bell where it says so, from a job: to publish writes nothing a user.
 */
export async function announce(deps: AnnouncementsDeps, tx: Tx, id: string): Promise<void> {
  const { clock, ids, events } = deps;
  const row = await tx.announcements.lock(id);
  if (!row || row.announcedMs !== null || announcementState(row, clock.now()) !== 'published') return;
  await tx.announcements.update(id, { announcedMs: clock.now() });
  await events.emit(tx, 'announcement.published', { announcementId: id, urgent: row.urgent });
  if (row.notifies) await enqueue(tx, ids, clock, { kind: ANNOUNCE_JOB, payload: { id, after: '' } });
  tx.touch(ANNOUNCEMENTS_TOPIC);
}

/** Announces what has come due by the clock. Each is announced once, by whichever process is first. */
export async function announceDue(deps: AnnouncementsDeps): Promise<void> {
  const due = await deps.uow.read((tx) => tx.announcements.listDue(deps.clock.now(), DUE_MAX));
  for (const id of due) await deps.uow.run((tx) => announce(deps, tx, id));
}

/**
 * The job that notifies the audience of an announcement. Each slice is a transaction with the job of the next one, and
 * a notification has a unique key: a killed process goes on where it was, and nobody hears twice.
 */
export function createAnnounceJob(deps: AnnouncementsDeps) {
  const { uow, long, clock, ids, events, settings } = deps;
  return {
    leaseMs: MINUTE,
    endsItself: true,
    async handle(payload: unknown, job: Pick<LeasedJob, 'id' | 'leaseToken'>): Promise<void> {
      const { id, after } = payload as { id: string; after: string };
      const [one] = await uow.read((tx) => tx.announcements.load([id], false));
      // Taken back or changed meanwhile: those who have not heard of it yet need not.
      const isShown = one !== undefined && announcementState(one, clock.now()) === 'published';
      // Finding a few among many may take long.
      const users = isShown
        ? await long.read((tx) => tx.announcements.listAudience(one, after, SLICE), { for: 'job' })
        : [];
      await uow.run(async (tx) => {
        if (!(await tx.jobs.finish(job.id, job.leaseToken, clock.now()))) return;
        for (const user of users) {
          const { title } = textFor(one?.texts ?? [], user.locale, settings.current().app_lang);
          const { mails = true, pushes = true } = one ?? {};
          await events.emit(tx, 'announcement.announced', {
            announcementId: id,
            userId: user.id,
            title,
            mails,
            pushes,
          });
        }
        const last = users.at(-1);
        if (users.length === SLICE && last)
          await enqueue(tx, ids, clock, { kind: ANNOUNCE_JOB, payload: { id, after: last.id } });
      });
    },
  };
}
