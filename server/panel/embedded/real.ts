import type { ConfigFile } from '#shared/config-files.ts';
import type { EggContainer } from '#shared/engine.ts';
import type { EmbeddedServer } from '#server/modules/servers/panel/index.ts';
import type { EggKind, PanelAnswer, PanelUsage } from '#server/modules/servers/panel/ports.ts';
import { RECIPE_IDS, type RecipeId, type RuntimeServer, type RuntimeSpec } from './runtime.ts';

/** Ports of this machine that servers get, both ends among them. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

const PREFIX = 'spawnpoint/';
/**
 * How servers of an egg run: by the recipe that its image names (`spawnpoint/static-website`), else in a container
 * where its file says what of; null: neither.
 */
export function recipeOf({ dockerImage, container }: EggKind): RecipeId | null {
  const named = RECIPE_IDS.find((id) => id !== 'container' && dockerImage === `${PREFIX}${id}`);
  return named ?? (container ? 'container' : null);
}

/** What the container of a server is made of, as its row keeps it: its script is named only. */
type KeptContainer = EggContainer & { readonly image: string; readonly startup: string };
/** The same as text; `null` for an egg that has none. */
export const containerText = (egg: EggKind & { readonly startup: string }): string =>
  JSON.stringify(
    recipeOf(egg) === 'container' ? { ...egg.container, image: egg.dockerImage, startup: egg.startup } : null,
  );

/** The id of the script that installs a server; null: it has none. */
export const scriptOf = (server: EmbeddedServer): string | null =>
  (JSON.parse(server.container) as KeptContainer | null)?.install?.script ?? null;

/**
 * What a server of the tables shall be. In: the server, its ports, and the text of the script that installs it, where
 * it has one. Throws where it is one that is imitated, or the script is not there.
 */
export function specOf(server: EmbeddedServer, ports: readonly number[], script: string | null): RuntimeSpec {
  const recipe = RECIPE_IDS.find((id) => id === server.recipe);
  if (!recipe) throw new Error(`server ${server.id} has no recipe`);
  const { uuid: id, revision, installMs: installation, memory, disk, cpu, suspended } = server;
  const environment = JSON.parse(server.environment) as Record<string, string>;
  const kept = JSON.parse(server.container) as KeptContainer | null;
  if (kept?.install && script === null) throw new Error(`server ${server.id} has lost its script`);
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
    container: kept && { ...kept, install: kept.install && { ...kept.install, script: script ?? '' } },
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
