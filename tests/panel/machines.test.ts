import { afterEach, describe, expect, test } from 'bun:test';
import type { PanelAnswer } from '#server/modules/servers/index.ts';
import type { Daemon, Dialect } from '#tests/support/panels/index.ts';
import { panelWorld, picture, PORT_CALLS, type PanelWorld } from './calls.ts';

let world: PanelWorld | null = null;
afterEach(async () => {
  await world?.fake.close();
  world = null;
});
async function open(dialect: Dialect): Promise<PanelWorld> {
  world = await panelWorld(dialect);
  return world;
}
type Outcome = PanelAnswer<unknown>['outcome'];
/**
 * What a call comes to while the machine is in trouble, and whether the panel holds something else after it (panel
 * contract, sections 5 and 8).
 */
type Ending = readonly [Outcome, 'same' | 'changed'];
const TROUBLES: Readonly<Record<string, Daemon>> = {
  'is off': 'refused',
  'cuts the line': 'cuts',
  'answers 500': { status: 500 },
  'answers 404': { status: 404 },
  'answers 422': { status: 422 },
};

/**
 * Pterodactyl takes back what the machine did not do, but for what is saved and fetched later; a machine that does not
 * know a server has nothing to delete.
 */
function ofPterodactyl(call: string, trouble: string): Ending | null {
  if (['setBuild', 'setStartup', 'setDetails', 'updateUser', 'ensureUser'].includes(call)) return ['ok', 'changed'];
  if (call === 'deleteServer' && trouble === 'answers 404') return ['ok', 'changed'];
  if (['createServer', 'suspend', 'unsuspend', 'reinstall', 'deleteServer', 'power'].includes(call))
    return ['unknown', 'same'];
  return null;
}
/**
 * Pelican keeps a server that the machine refused to make, does not take a suspension back, and deletes what the
 * machine refused to delete.
 */
function ofPelican(call: string, trouble: string): Ending | null {
  const reached = trouble.startsWith('answers');
  if (call === 'createServer') return ['unknown', reached ? 'changed' : 'same'];
  if (call === 'deleteServer') return reached ? ['ok', 'changed'] : ['unknown', 'same'];
  if (call === 'suspend' || call === 'unsuspend') return ['unknown', 'changed'];
  return ofPterodactyl(call, trouble);
}

for (const [dialect, endings] of [
  ['pterodactyl', ofPterodactyl],
  ['pelican', ofPelican],
] as const) {
  describe(`${dialect}: a machine that`, () => {
    for (const [trouble, daemon] of Object.entries(TROUBLES)) {
      for (const call of PORT_CALLS) {
        const ending = endings(call.name, trouble);
        if (!ending) continue;
        test(`${trouble}: the machine answers ${call.name} as it should`, async () => {
          const own = await open(dialect);
          await call.prepare?.(own);
          const before = picture(own.fake);
          own.fake.setDaemon(own.node, daemon);
          const [outcome, state] = ending;
          expect((await call.run(own)).outcome).toBe(outcome);
          expect(picture(own.fake) === before ? 'same' : 'changed').toBe(state);
        });
      }
    }

    test('a machine that is off has usage that says that nothing is known', async () => {
      const { fake, node, panel, server } = await open(dialect);
      fake.setDaemon(node, 'refused');
      expect(await panel.usage(server.identifier ?? '')).toEqual({
        outcome: 'ok',
        value: { power: 'unknown', memory: 0, cpu: 0, disk: 0, uptime: 0 },
      });
    });

    test('a machine that is off lets a forced deletion delete, and an ordinary one not', async () => {
      const { fake, node, panel, server } = await open(dialect);
      fake.setDaemon(node, 'refused');
      expect((await panel.deleteServer(server.panelId)).outcome).toBe('unknown');
      expect((await panel.readServer(server.panelId)).outcome).toBe('ok');
      expect((await panel.deleteServer(server.panelId, true)).outcome).toBe('ok');
      expect((await panel.readServer(server.panelId)).outcome).toBe('not_found');
    });

    test('a machine that hangs makes the panel give up by itself, and its answer is heard', async () => {
      const { fake, node, panel, spec } = await open(dialect);
      fake.setDaemon(node, 'hangs');
      const answer = panel.createServer(spec('server-2', 1));
      await fake.hanging();
      fake.setDaemon(node, 'refused');
      await fake.release();
      expect((await answer).outcome).toBe('unknown');
      expect((await panel.findServerByExternalId('server-2')).outcome).toBe('not_found');
    });

    test('a machine that does not know a server any more makes suspending no "not found"', async () => {
      const { fake, panel, server } = await open(dialect);
      fake.state.onMachine.clear();
      expect((await panel.suspend(server.panelId)).outcome).toBe('unknown');
      expect((await panel.readServer(server.panelId)).outcome).toBe('ok');
    });
  });
}
