import { TEST_START } from '../clock.ts';
import type { Engine } from '../db.ts';
import { confirmWho, openHarness, type Harness, type Person } from '../harness.ts';
import { startDiscord, type DiscordStandIn } from './stand-in.ts';

/** Where Discord sends people back to. */
export const REDIRECT = 'https://panel.example.com/account/linked/discord';
const ADMIN = [
  'admin.j4r.servers.create',
  'admin.j4r.servers.edit',
  'admin.j4r.servers.list',
  'admin.j4r.servers.delete',
] as const;

export interface EntryFacts {
  readonly credits?: number;
  readonly pays_members?: boolean;
  readonly min_account_days?: number;
  readonly enabled?: boolean;
}
export type Linking = Awaited<ReturnType<typeof openLinking>>;

/** The product beside a Discord of its own, both with the same time. */
export async function openLinking(engine: Engine = 'sqlite') {
  const harness: Harness = await openHarness({ engine });
  const discord: DiscordStandIn = await startDiscord({ startMs: TEST_START, redirects: [REDIRECT] });
  await harness.set(discord.settings);
  const staff = await harness.person('staff', { permissions: ADMIN });
  let entries = 0;

  /** Begins a link and agrees. Out: what Discord sends back. */
  async function consented(
    person: Person,
    discordId: string,
    scopes?: readonly string[],
  ): Promise<{ code: string; state: string }> {
    await confirmWho(person);
    const { url } = await person.api.linked.startDiscord();
    const back = discord.consent(url, discordId, scopes).searchParams;
    return { code: back.get('code') ?? '', state: back.get('state') ?? '' };
  }
  /** Links a Discord account to somebody. */
  async function link(person: Person, discordId: string, scopes?: readonly string[]): Promise<void> {
    await person.api.linked.finishDiscord({ body: await consented(person, discordId, scopes) });
  }
  /** An entry that pays 45 credits for joining a Discord server, looked up. Out: ids of both. */
  async function entry(facts: EntryFacts = {}): Promise<{ id: string; guildId: string }> {
    entries += 1;
    const guild = discord.guild(`Guild ${entries}`, `invite-${entries}`);
    const body = {
      name: `Server ${entries}`,
      description: '',
      invite: `invite-${entries}`,
      credits: 45,
      min_account_days: 0,
      pays_members: false,
      position: 0,
      enabled: true,
      ...facts,
    };
    const { id } = await staff.api.adminJ4rServers.create({ body });
    await harness.drainJobs();
    return { id, guildId: guild.id };
  }
  /** Lets time pass, here and at Discord, and does what falls due, hour by hour where asked. */
  async function pass(ms: number, steps = 1): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      discord.setNow(harness.clock.advance(ms / steps));
      await harness.drainJobs();
    }
  }
  return {
    ...harness,
    harness,
    discord,
    staff,
    consented,
    link,
    entry,
    pass,
    async close(): Promise<void> {
      await harness.close();
      await discord.close();
    },
  };
}
