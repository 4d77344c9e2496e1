import { insideTransaction } from '#server/data/scope.ts';
import type { Panel, PanelAnswer, PanelUsage, PowerSignal } from '#server/modules/servers/index.ts';

export const IDLE: PanelUsage = {
  power: 'running',
  memory: 536_870_912.4,
  cpu: 12.345,
  disk: 1_073_741_824,
  uptime: 61_500,
};

/** Gives a test's panel a client API: what it answers is up to the test, and what it was asked is written down. */
export function liveOn(panel: Panel) {
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
