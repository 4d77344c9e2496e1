import { insideTransaction } from '#server/data/scope.ts';
import type { SignedInCtx } from '#server/http/implement.types.ts';
import type { SignedIn } from '#server/modules/kernel.ts';
import type { Panel, PanelAnswer, PanelUsage, PowerSignal } from '#server/modules/servers/index.ts';
import type { Engine } from './db.ts';
import { serversWorld } from './servers.ts';

export const IDLE: PanelUsage = {
  power: 'running',
  memory: 536_870_912.4,
  cpu: 12.345,
  disk: 1_073_741_824,
  uptime: 61_500,
};

/** Gives a test's panel a client API: what it answers is up to the test, and what it was asked is written down. */
function liveOn(panel: Panel) {
  const asked: string[] = [];
  const sent: (readonly [string, PowerSignal])[] = [];
  const state: { usage: PanelAnswer<PanelUsage>; power: PanelAnswer<null>; gate: Promise<void> | null } = {
    usage: { outcome: 'ok', value: IDLE },
    power: { outcome: 'ok', value: null },
    gate: null,
  };
  const assertOutside = () => {
    if (insideTransaction()) throw new Error('the panel was called inside a transaction');
  };
  Object.assign(panel, {
    usage: async (identifier: string) => {
      assertOutside();
      asked.push(identifier);
      await state.gate;
      return state.usage;
    },
    power: async (identifier: string, signal: PowerSignal) => {
      assertOutside();
      sent.push([identifier, signal]);
      await state.gate;
      return state.power;
    },
  } satisfies Pick<Panel, 'usage' | 'power'>);
  return { asked, sent, state };
}

/** A world with a user's server that runs on a panel with a client API. Close `world` afterwards. */
export async function liveServerWorld(engine: Engine = 'sqlite') {
  const world = await serversWorld(engine);
  const ctx = await world.person();
  const site = await world.addPanel({ nodes: [{ id: 'n1', location: '1', memory: 8192, disk: 65_536, ports: 10 }] });
  const live = liveOn(site.panel);
  const id = await world.upServer(ctx, { locationId: site.location });
  return { world, ctx, site, live, id };
}

/**
 * What a handler is called with, for who asks it in a test without HTTP. Only what a handler reads is there: the rest
 * of the context belongs to a request, hence the cast.
 */
export const asCaller = (who: SignedIn, signal = new AbortController().signal) =>
  ({ ...who, secret: 's', signal, cookies: {}, header: () => null }) as unknown as SignedInCtx;
