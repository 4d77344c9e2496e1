import { DAY } from '#shared/time.ts';
import { subscriber, type Subscription } from '../events/index.ts';
import { enqueue, type LeasedJob } from '../jobs/index.ts';
import type { Tx } from '../tx.ts';
import { placeOf, SYNC_JOB, wantedRoles, type DiscordRolesDeps } from './deps.ts';
import { createMemberSync, type Result } from './member.ts';
import type { LinkedMember } from './ports.ts';

/** Linked users of one look of the sweep, and most of them that it has brought in line each time. */
const PAGE = 500;
const SWEEP_MAX = 300;
/** For how long what was given to somebody who unlinked is remembered where it cannot be taken. */
const UNLINKED_MS = 30 * DAY;

/** Roles in a Discord server that follow what users are here: given and taken by a bot, one user a job. */
export function createSyncing(deps: DiscordRolesDeps) {
  const { uow, clock, ids } = deps;
  const { syncMember } = createMemberSync(deps);

  /** Has the roles of a user brought in line, in the running transaction; once, however often it is asked for. */
  const request = (tx: Tx, userId: string): Promise<void> =>
    enqueue(tx, ids, clock, { kind: SYNC_JOB, payload: { userId }, uniqueKey: `${SYNC_JOB}:${userId}` });
  const onUser = async (tx: Tx, { userId }: { readonly userId: string }): Promise<void> => {
    if (placeOf(deps) !== null) await request(tx, userId);
  };
  const subscriptions: readonly Subscription[] = [
    subscriber('user.identity_linked', onUser),
    subscriber('user.identity_unlinked', onUser),
    subscriber('user.identity_taken', onUser),
    subscriber('user.reclaimed', onUser),
    subscriber('user.email_restored', onUser),
    subscriber('user.role_changed', onUser),
    subscriber('user.banned', onUser),
    subscriber('user.unbanned', onUser),
    subscriber('user.ban_expired', onUser),
    subscriber('user.deleted', onUser),
    subscriber('server.ready', onUser),
    subscriber('server.deleted', onUser),
  ];

  /** The job of one user: it ends itself, so that it waits for Discord as long as Discord asks. */
  async function sync(userId: string, job: LeasedJob): Promise<void> {
    const result = await syncUser(userId);
    await uow.run(async (tx) => {
      if (typeof result === 'string') await tx.jobs.finish(job.id, job.leaseToken, clock.now());
      else await tx.jobs.reschedule(job.id, job.leaseToken, clock.now() + result.waitMs);
    });
  }

  async function syncUser(userId: string): Promise<Result> {
    const place = placeOf(deps);
    const { facts, guild, members } = await uow.read(async (tx) => ({
      facts: await tx.discordRoles.findFacts(userId),
      guild: await tx.discordRoles.findGuild(),
      members: await tx.discordRoles.listMembers(userId),
    }));
    // What is missing is taken up by the sweep, once there is a bot that works.
    if (!place || guild?.guildId !== place.guildId || (guild.fault ?? 'unreachable') !== 'unreachable')
      return 'stopped';
    const subject = facts?.subject ?? null;
    for (const { subject: old } of members) {
      if (old === subject || (await isHeldByAnother(old, userId))) continue;
      const result = await syncMember(place, old, userId, []);
      if (result !== 'done') return result;
    }
    if (!facts || subject === null) return 'done';
    return syncMember(place, subject, userId, wantedRoles(guild.rules, facts));
  }

  /** Whether an account on Discord is linked to another user by now: what it has is for that one's turn. */
  async function isHeldByAnother(subject: string, userId: string): Promise<boolean> {
    const link = await uow.read((tx) => tx.identities.findBySubject('discord', subject));
    return link !== null && link.userId !== userId;
  }

  /**
   * By the clock: whoever is not as they should be, by what the database says, is brought in line; so are those who
   * were not looked at for long, and what was given to accounts that are not linked any more is taken.
   */
  async function sweep(): Promise<void> {
    const place = placeOf(deps);
    const guild = place && (await uow.read((tx) => tx.discordRoles.findGuild()));
    await uow.run((tx) => tx.discordRoles.purgeUnlinked(clock.now() - UNLINKED_MS));
    if (!place || guild?.guildId !== place.guildId || guild.fault !== null) return;
    const due = await uow.read((tx) => tx.discordRoles.listUnlinked(clock.now(), SWEEP_MAX));
    const isDue = (each: LinkedMember) => {
      const { member } = each;
      const wanted = wantedRoles(guild.rules, each);
      const before = member?.guildId === place.guildId ? member.wanted : [];
      if (wanted.join() !== before.join()) return true;
      return member !== null && member.nextMs <= clock.now();
    };
    for (let after = ''; due.length < SWEEP_MAX;) {
      const start = after;
      const page = await uow.read((tx) => tx.discordRoles.listLinked(start, PAGE));
      due.push(...page.filter(isDue).map(({ userId }) => userId));
      const last = page.at(-1);
      if (!last || page.length < PAGE) break;
      after = last.userId;
    }
    if (due.length === 0) return;
    await uow.run(async (tx) => {
      for (const userId of due.slice(0, SWEEP_MAX)) await request(tx, userId);
    });
  }

  return { subscriptions, sync, sweep };
}
