import type { ConfigFile } from '#shared/config-files.ts';
import type { EmbeddedServer } from '#server/modules/servers/panel/index.ts';
import type { PanelAnswer, PanelUsage } from '#server/modules/servers/panel/ports.ts';
import { RECIPE_IDS, type RecipeId, type RuntimeServer, type RuntimeSpec } from './runtime.ts';

/** Ports of this machine that servers get, both ends among them. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

const PREFIX = 'spawnpoint/';
/** The recipe that an egg's image names (`spawnpoint/static-website`); null: it names none. */
export const recipeOf = (image: string): RecipeId | null => RECIPE_IDS.find((id) => image === `${PREFIX}${id}`) ?? null;

/** What a server of the tables shall be. Throws where it is one that is imitated. */
export function specOf(server: EmbeddedServer, ports: readonly number[]): RuntimeSpec {
  const recipe = RECIPE_IDS.find((id) => id === server.recipe);
  if (!recipe) throw new Error(`server ${server.id} has no recipe`);
  const { uuid: id, revision, installMs: installation, memory, disk, cpu, suspended } = server;
  const environment = JSON.parse(server.environment) as Record<string, string>;
  return {
    id,
    revision,
    installation,
    recipe,
    memory,
    disk,
    cpu,
    ports,
    suspended,
    environment,
    configFiles: JSON.parse(server.configFiles) as ConfigFile[],
    licence: server.licenceMs !== null,
  };
}

const POWER = {
  install_failed: 'offline',
  offline: 'offline',
  starting: 'starting',
  running: 'running',
  stopping: 'stopping',
} as const;
/** What a server uses, as the panel's port says it. */
export function usageOf(answer: PanelAnswer<RuntimeServer>): PanelAnswer<PanelUsage> {
  if (answer.outcome !== 'ok') return answer;
  const { state, memory, cpu, disk, received, sent, uptimeMs: uptime, halt } = answer.value;
  return state === 'installing'
    ? { outcome: 'refused', reason: 'busy' }
    : { outcome: 'ok', value: { power: POWER[state], memory, cpu, disk, network: { received, sent }, uptime, halt } };
}
