import { DAY } from '#shared/time.ts';
import type { J4rDeps } from './deps.ts';

/** Invites looked up at once. */
const BATCH = 20;

/** What is known of a Discord server; `unknown` where Discord gave no clear answer. */
export type GuildState = 'there' | 'unproven' | 'unknown';

/** Where invites lead: Discord's id of a server is taken from its invite, never from anybody who types it. */
export function createLookups({ uow, clock, discord }: Pick<J4rDeps, 'uow' | 'clock' | 'discord'>) {
  /**
   * Looks up the invites that are new, and those that were not looked at for a day. Out: whether all were answered;
   * what Discord does not answer keeps what was known of it.
   */
  async function lookUpInvites(): Promise<boolean> {
    for (;;) {
      const stale = await uow.read((tx) => tx.j4r.staleInvites(clock.now() - DAY, BATCH));
      if (stale.length === 0) return true;
      for (const { id, invite } of stale) {
        const answer = await discord.invite(invite);
        if (answer.kind === 'unknown') return false;
        const at = clock.now();
        await uow.run(async (tx) => {
          if (answer.kind === 'no') await tx.j4r.setUnknown(id, invite, at);
          else await tx.j4r.setFound(id, invite, answer.value, at);
        });
      }
    }
  }

  /**
   * Whether a Discord server is there, as far as an invite of ours tells: `unproven` where none leads to it any more,
   * which does not mean that it is gone.
   */
  async function findGuildState(guildId: string): Promise<GuildState> {
    let unknown = false;
    for (const invite of await uow.read((tx) => tx.j4r.invitesTo(guildId))) {
      const answer = await discord.invite(invite);
      if (answer.kind === 'yes' && answer.value.guildId === guildId) return 'there';
      unknown ||= answer.kind === 'unknown';
    }
    return unknown ? 'unknown' : 'unproven';
  }

  return { lookUpInvites, findGuildState };
}
