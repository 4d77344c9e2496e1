import { expect, test } from 'bun:test';
import type { Panel } from '#server/modules/servers/index.ts';
import { fromEnvironment } from '#tests/support/random.ts';
import { KINDS } from './commands.ts';
import { simulate } from './run.ts';

const COMMANDS = fromEnvironment('SIMULATION_COMMANDS', 600);
const SEED = fromEnvironment('SIMULATION_SEED', 20_260_321);
const USERS = 40;
/** How many worlds may be needed until every command came through once. */
const WORLDS = 3;

test(`T26 ${COMMANDS} commands of ${USERS} users at two failing panels, with kills, leave nothing lost, doubled, orphaned or on hold`, async () => {
  let missing = KINDS.map(({ name }) => name);
  // What never comes through, or never goes wrong, is not tested. Which server failed when is a matter of chance.
  for (let seed = SEED; missing.length > 0 && seed < SEED + WORLDS; seed++) {
    const { faults, tally, deaths, weather } = await simulate({ seed, commands: COMMANDS, users: USERS });
    expect(faults, `seed ${seed}`).toEqual([]);
    expect([deaths > 3, weather.size > 5]).toEqual([true, true]);
    missing = missing.filter((name) => (tally.get(name)?.done ?? 0) === 0);
  }
  expect(missing).toEqual([]);
}, 120_000);

test('what an adapter only says to have done is found in the end', async () => {
  const spoil = (panel: Panel): Panel => ({ ...panel, setDetails: (panelId) => panel.readServer(panelId) });
  const { faults } = await simulate({ seed: 1, commands: 200, users: 20, spoil });
  expect(faults.filter((fault) => / should be .*"name":.* and is /.test(fault))).not.toEqual([]);
}, 60_000);
