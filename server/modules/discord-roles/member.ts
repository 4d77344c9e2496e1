import { DAY, HOUR, MINUTE, SECOND } from '#shared/time.ts';
import type { Outcome } from '../identities/index.ts';
import { noteFault, type DiscordRolesDeps, type Place } from './deps.ts';
import type { BotRefusal, MemberState, RoleMember } from './ports.ts';

/** When somebody is looked at again, by how they stood: moderators of Discord give and take roles as well. */
const AGAIN_MS: Readonly<Record<MemberState, number>> = { done: DAY, absent: DAY, refused: HOUR };
/** How soon a question that got no answer is asked again, unless Discord says when. */
const RETRY_MS = MINUTE;

/** What one look at a person came to: it is done, or has to wait so long (ms), or the bot cannot work at all. */
export type Result = 'done' | 'stopped' | { readonly waitMs: number };

/** Gives one person on Discord what they should have, and takes what we gave them besides. */
export function createMemberSync(deps: DiscordRolesDeps) {
  const { uow, clock } = deps;

  /**
   * Brings one person on Discord in line: gives what is wanted and missing, takes what we gave and is wanted no more.
   * What they have from others stays. Before anything is given it is noted as ours, because an answer may get lost.
   */
  async function syncMember(
    { token, guildId }: Place,
    subject: string,
    userId: string,
    wanted: readonly string[],
  ): Promise<Result> {
    const { bot } = deps;
    const stored = await uow.read((tx) => tx.discordRoles.findMember(subject));
    const given = stored?.guildId === guildId ? stored.given : [];
    if (wanted.length === 0 && given.length === 0) return close(subject);
    const found = await bot.listMemberRoles(token, guildId, subject);
    if (found.kind === 'no' && found.reason === 'absent')
      // Who leaves loses all roles there.
      return wanted.length === 0
        ? close(subject)
        : save({ subject, userId, guildId, given: [], wanted, state: 'absent' });
    if (found.kind !== 'yes') return stop(guildId, found);
    const has = new Set(found.value);
    const missing = wanted.filter((role) => !has.has(role));
    const ours = new Set([...given.filter((role) => has.has(role)), ...missing]);
    const surplus = [...ours].filter((role) => !wanted.includes(role));
    if (missing.length > 0) await save({ subject, userId, guildId, given: [...ours], wanted, state: 'refused' });
    let state: MemberState = 'done';
    for (const role of [...missing, ...surplus]) {
      const isGift = wanted.includes(role);
      const outcome = await (isGift ? bot.giveRole : bot.takeRole)(token, guildId, subject, role);
      if (outcome.kind === 'unknown' || (outcome.kind === 'no' && outcome.reason === 'token'))
        return stop(guildId, outcome);
      const isRefused = outcome.kind === 'no' && outcome.reason !== 'absent';
      // A role that was deleted in Discord need not be taken any more.
      if (isRefused && (isGift || outcome.reason === 'forbidden')) state = 'refused';
      if (isRefused ? isGift || outcome.reason === 'unknownRole' : !isGift) ours.delete(role);
    }
    await noteFault(deps, guildId, null);
    return wanted.length === 0 && ours.size === 0
      ? close(subject)
      : save({ subject, userId, guildId, given: [...ours], wanted, state });
  }

  /** Nothing is left to give or take. */
  async function close(subject: string): Promise<Result> {
    await uow.run((tx) => tx.discordRoles.removeMember(subject));
    return 'done';
  }

  async function save(facts: Omit<RoleMember, 'nextMs' | 'unlinkedMs'>): Promise<Result> {
    const nowMs = clock.now();
    await uow.run(async (tx) => {
      const before = await tx.discordRoles.findMember(facts.subject, true);
      const isLinked = (await tx.identities.findBySubject('discord', facts.subject))?.userId === facts.userId;
      const unlinkedMs = isLinked ? null : (before?.unlinkedMs ?? nowMs);
      await tx.discordRoles.saveMember({ ...facts, nextMs: nowMs + AGAIN_MS[facts.state], unlinkedMs });
    });
    return 'done';
  }

  /** Discord gave no answer that helps: all wait, or nothing goes on before somebody mends it. */
  async function stop(
    guildId: string,
    outcome: Exclude<Outcome<unknown, BotRefusal>, { kind: 'yes' }>,
  ): Promise<Result> {
    if (outcome.kind === 'unknown') {
      // Being asked to wait is no fault.
      if (outcome.retryAfterS === null) await noteFault(deps, guildId, 'unreachable');
      return { waitMs: outcome.retryAfterS === null ? RETRY_MS : outcome.retryAfterS * SECOND };
    }
    await noteFault(
      deps,
      guildId,
      outcome.reason === 'token' || outcome.reason === 'unknownGuild' ? outcome.reason : 'forbidden',
    );
    return 'stopped';
  }

  return { syncMember };
}
