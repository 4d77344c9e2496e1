import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { SignedIn } from '#server/modules/kernel.ts';
import type { Panel, PanelAnswer, PanelUsage } from '#server/modules/servers/index.ts';
import { codeOf } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness } from '#tests/support/harness.ts';
import { IDLE, liveServerWorld } from '#tests/support/live-panel.ts';
import { FakeMachine } from '#tests/support/machine.ts';
import type { ServersWorld } from '#tests/support/servers.ts';

// The owner's word for the licence of a game; that nothing starts without it is tested where the node is.
let world: ServersWorld;
let ctx: SignedIn;
let id: string;
let accepted: string[];
let answer: PanelAnswer<null>;
let usage: PanelAnswer<PanelUsage>;

const WAITS: PanelUsage = { ...IDLE, power: 'offline', halt: { reason: 'licence', port: null } };
beforeEach(async () => {
  const opened = await liveServerWorld();
  ({ world, ctx, id } = opened);
  accepted = [];
  answer = { outcome: 'ok', value: null };
  usage = { outcome: 'ok', value: WAITS };
  Object.assign(opened.site.panel, {
    usage: async () => usage,
    acceptLicence: async (panelId: string) => {
      accepted.push(panelId);
      return answer;
    },
  } satisfies Pick<Panel, 'usage' | 'acceptLicence'>);
});
afterEach(() => world.close());

const accept = (who = ctx, what = id) => codeOf(world.servers.acceptLicence(who, what));
const kept = () =>
  world.db.sql<{ actor_id: string; target: string; at_ms: number }>(
    "SELECT actor_id, target, at_ms FROM audit WHERE action = 'servers.licence'",
  );
const activity = async () =>
  (await world.uow.read((tx) => tx.servers.listEvents(id, 50))).filter(({ code }) => code === 'licenceAccepted');

test('the owner’s word goes to the panel, and who gave it and when is kept', async () => {
  expect(await accept()).toBeNull();
  const server = await world.uow.read((tx) => tx.servers.find(id));
  expect(accepted).toEqual([server?.panelId ?? '']);
  const rows = await kept();
  expect(rows.map(({ actor_id, target }) => [actor_id, target])).toEqual([[ctx.actor.userId, id]]);
  expect(Number(rows[0]?.at_ms)).toBe(world.clock.now());
  expect(await activity()).toHaveLength(1);
});

test('nobody gives it for a server of somebody else', async () => {
  expect(await accept(await world.person())).toBe('NOT_FOUND');
  expect([accepted, await kept()]).toEqual([[], []]);
});

test('a server that waits for none takes none, nor one whose panel asks for none', async () => {
  usage = { outcome: 'ok', value: IDLE };
  expect(await accept()).toBe('NO_LICENCE_NEEDED');
  usage = { outcome: 'unavailable' };
  world.clock.advance(60_000);
  expect(await accept()).toBe('PANEL_UNREACHABLE');
  expect([accepted, await kept()]).toEqual([[], []]);
});

test('a word that the panel did not hear is kept, and given again', async () => {
  answer = { outcome: 'unavailable' };
  expect(await accept()).toBe('PANEL_UNREACHABLE');
  answer = { outcome: 'ok', value: null };
  expect(await accept()).toBeNull();
  expect(accepted).toHaveLength(2);
  expect(await kept()).toHaveLength(2);
});

test('given many times at once, it is given', async () => {
  expect(new Set(await Promise.all(Array.from({ length: 10 }, () => accept())))).toEqual(new Set([null]));
  expect(new Set(accepted).size).toBe(1);
});

test.each(ENGINES)(
  'the built-in panel tells its machine once it is accepted, on %s',
  async (engine) => {
    const machine = new FakeMachine();
    const licences: boolean[] = [];
    const { put } = machine.runtime.calls;
    Object.assign(machine.runtime.calls, {
      put: async (spec: Parameters<typeof put>[0]) => {
        licences.push(spec.licence);
        const made = await put(spec);
        const found = machine.servers.get(spec.id);
        if (found && !spec.licence)
          machine.servers.set(spec.id, { ...found, state: 'offline', halt: { reason: 'licence', port: null } });
        return made;
      },
    });
    const harness = await openHarness({ engine, sample: true, machine: machine.runtime });
    try {
      const staff = await harness.person('olga', { permissions: ['admin.root'] });
      const { locations, categories } = await staff.api.servers.options({});
      const category = categories.find(({ eggs }) => eggs.some(({ name }) => name === 'Paper'));
      const { id: made } = await staff.api.servers.create({
        body: {
          name: 'Lanternwood',
          description: '',
          location_id: locations.find(({ embedded }) => embedded)?.id ?? '',
          category_id: category?.id ?? '',
          egg_id: category?.eggs.find(({ name }) => name === 'Paper')?.id ?? '',
          memory: 1024,
          disk: 1024,
          cpu: 50,
          ports: 1,
          databases: 0,
          backups: 0,
          variables: {},
          auto_renew: false,
        },
      });
      await harness.drainJobs();
      expect((await staff.api.servers.usage({ params: { id: made } })).usage?.halt?.reason).toBe('licence');
      await staff.api.serverLicences.accept({ params: { id: made } });
      expect([licences[0], licences.at(-1)]).toEqual([false, true]);
    } finally {
      await harness.close();
    }
  },
  60_000,
);
