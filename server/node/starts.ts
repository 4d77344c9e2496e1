import type { Log } from '#server/modules/kernel.ts';
import type { ServerHalt } from '#server/modules/servers/index.ts';
import { fillConfigFiles } from './config-values.ts';
import type { ConsoleLines } from './console.ts';
import type { DiskUse } from './disk-use.ts';
import type { Downloads, Loaded } from './downloads/cache.ts';
import type { Engine, Image } from './engine/client.ts';
import type { ContainerLaunch, Containers } from './engine/containers.ts';
import { loadImage } from './engine/images.ts';
import { environmentOfContainer, recipeOfContainer } from './engine/recipe.ts';
import type { FileManager } from './file-manager/manager.ts';
import { RECIPES, type Recipe } from './recipes.ts';
import { isPortFree } from './sandbox/network.ts';
import type { Running } from './sandbox/running.ts';
import type { Launch, Sandbox } from './sandbox/sandbox.ts';
import type { Spec, State } from './store.ts';

const LOOK_MS = 200;
const SEEDS = '/opt/spawnpoint/seed';
/** Files that are the same already are left alone, so that an installation that is repeated keeps no copies of them. */
const COPY_SEEDS = `[ -d ${SEEDS} ] || exit 0; cd ${SEEDS} && for file in $(find . -type f); do
  to=/home/container/$file
  mkdir -p -- "\${to%/*}" && { cmp -s -- "$file" "$to" || cp -T --backup=numbered -- "$file" "$to"; } || exit 1
done`;

/** Why a server does not run; `port`: the one that another program has. */
export const halted = (reason: ServerHalt['reason'], port: number | null = null): ServerHalt => ({ reason, port });

/** How a server is installed, started and stopped. */
export function recipeOf({ recipe, container }: Spec): Recipe {
  if (recipe !== 'container') return RECIPES[recipe];
  if (!container) throw new Error('a server without its container');
  return recipeOfContainer(container);
}

interface Deps {
  readonly sandbox: Pick<Sandbox, 'start'>;
  /** What runs servers that have an image, and the engine behind it. */
  readonly containers: Pick<Containers, 'start'>;
  readonly engine: Engine;
  readonly downloads: Pick<Downloads, 'load' | 'mounts'>;
  readonly log: Log;
  /** Why no server of this machine starts; null where they may. */
  readonly closed: () => 'maintenance' | 'reserve' | null;
  /** Writes configuration files of a server; what was left as it is. */
  readonly configure: FileManager['configure'];
  /** The ports of all servers changed: brings the machine's rules to them. */
  readonly applyNetwork: () => Promise<void>;
  readonly disk: Pick<DiskUse, 'count' | 'isOver'>;
  /** What the server shall be and is: both may change while something is loaded for it. */
  readonly server: () => { readonly spec: Spec; readonly state: State };
  readonly lines: Pick<ConsoleLines, 'add'>;
}

/** Says that the server was killed or is deleted: whoever loads something for it stops waiting. */
type IsGivenUp = () => boolean;

/**
 * The starts of one server: says what keeps it from starting, loads the image or download that it is run with, and
 * begins the process of its installation or its own, in a sandbox or a container. What becomes of the process, and what
 * is kept on disk, says who asks.
 */
export class Starts {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }
  private print(text: string): void {
    this.deps.lines.add('out', text);
  }
  private launch(argv: readonly string[], inside: Readonly<Record<string, string>>): Launch {
    const { spec, state } = this.deps.server();
    const { id, memory, cpu, disk, ports, environment } = spec;
    const env = {
      // First, so that none of them takes the place of what the sandbox is begun with.
      ...environment,
      PATH: '/opt/spawnpoint:/usr/bin:/bin',
      HOME: '/home/container',
      LANG: 'C.UTF-8',
      TZ: 'UTC',
      BUN_BE_BUN: '1',
      SERVER_IP: '0.0.0.0',
      SERVER_PORT: String(ports[0]),
      SERVER_MEMORY: String(memory),
      GAME_VERSION: state.version,
    };
    const mounts = this.deps.downloads.mounts(state.ingredients) ?? {};
    return { id, slot: state.slot, memory, cpu, disk, argv, env, inside, mounts };
  }
  /** `script`: it is what installs it that is begun; null: the server itself. */
  private containerLaunch(image: Image, argv: readonly string[], script: string | null): ContainerLaunch {
    const { spec } = this.deps.server();
    if (!spec.container) throw new Error('a server without its container');
    const env = environmentOfContainer(spec, spec.container, script !== null);
    return { ...this.launch(argv, {}), env, image, script };
  }

  /** Loads an image, as long as nobody gives it up. Out: null where that failed, which its console says. */
  private async image(name: string, isGivenUp: IsGivenUp): Promise<Image | null> {
    const { engine, closed, log } = this.deps;
    const stopped = () =>
      isGivenUp() ? 'It was ended.' : closed() === 'reserve' ? 'The disk of this machine is full.' : null;
    try {
      const loaded = await loadImage(name, { engine, print: (text) => this.print(text), stopped });
      if (!('failed' in loaded)) return loaded;
      this.print(loaded.failed);
    } catch (error) {
      this.print('Docker or Podman does not answer.');
      log.error('node.image_failed', { server: this.deps.server().spec.id, image: name, error: String(error) });
    }
    return null;
  }
  private async loadContainer(name: string, isGivenUp: IsGivenUp): Promise<Pick<State, 'image'> | null> {
    const { engine } = this.deps;
    if (!engine.isReady()) this.print('It waits for Docker or Podman.');
    while (!engine.isReady() && !isGivenUp()) await Bun.sleep(LOOK_MS);
    const loaded = isGivenUp() ? null : await this.image(name, isGivenUp);
    return loaded && { image: { name, id: loaded.id } };
  }
  private async loadDownload(
    { from, variable }: NonNullable<Recipe['download']>,
    isGivenUp: IsGivenUp,
  ): Promise<Pick<State, 'ingredients' | 'version'> | null> {
    const version = this.deps.server().spec.environment[variable] || 'latest';
    const loading = this.deps.downloads.load(from, version, (text) => this.print(text));
    let loaded: Loaded | null = null;
    // Whoever kills or deletes it does not wait for a download, which may be others' as well.
    while (loaded === null && !isGivenUp()) loaded = await Promise.race([loading, Bun.sleep(LOOK_MS).then(() => null)]);
    if (loaded === null || isGivenUp()) return null;
    if (!('failed' in loaded)) return { ingredients: loaded.ingredients, version: loaded.version };
    this.print(`The installation failed: ${loaded.failed}`);
    return null;
  }
  /**
   * Loads what an installation runs the server with. Out: what of it is kept in its state; null where that failed or
   * was given up, which its console says.
   */
  load(isGivenUp: IsGivenUp): Promise<Partial<Pick<State, 'image' | 'ingredients' | 'version'>> | null> {
    const { spec } = this.deps.server();
    if (spec.container) return this.loadContainer(spec.container.image, isGivenUp);
    const { download } = recipeOf(spec);
    return download ? this.loadDownload(download, isGivenUp) : Promise.resolve({});
  }

  /** Begins what installs it. Out: null where there is nothing to do. Throws where it does not begin. */
  async beginInstallation(isGivenUp: IsGivenUp): Promise<Running | null> {
    const { spec } = this.deps.server();
    if (spec.container) {
      if (!spec.container.install) return null;
      const { image, shell, script } = spec.container.install;
      const loaded = await this.image(image, isGivenUp);
      if (!loaded || isGivenUp()) throw new Error('no image to install with');
      return this.deps.containers.start(this.containerLaunch(loaded, [shell, '/mnt/install/install.sh'], script));
    }
    const files = Object.entries(recipeOf(spec).files);
    const seeds = Object.fromEntries(files.map(([path, text]) => [`seed/${path}`, text]));
    // By the server's own user and inside its sandbox: no path of it is ever written with more rights.
    // Over what is there, as installations do; what was changed since stays beside it under another name.
    return this.deps.sandbox.start(this.launch(['/bin/sh', '-c', COPY_SEEDS], seeds));
  }

  /** Whether its owner has yet to accept the licence of its game. */
  isUnlicensed(): boolean {
    const { spec } = this.deps.server();
    return recipeOf(spec).licence !== undefined && !spec.licence;
  }
  /** What keeps it from starting; null where nothing does. */
  async obstacle(): Promise<ServerHalt | 'suspended' | null> {
    const { server, downloads, engine, disk } = this.deps;
    const { spec, state } = server();
    if (spec.suspended) return 'suspended';
    if (state.state === 'install_failed' || downloads.mounts(state.ingredients) === null)
      return halted('not_installed');
    if (this.isUnlicensed()) return halted('licence');
    const closed = this.deps.closed();
    if (closed) return halted(closed);
    if (spec.container && !engine.isReady()) return halted('engine');
    await disk.count();
    if (disk.isOver()) return halted('disk_full');
    await this.deps.applyNetwork();
    for (const port of server().spec.ports) if (!(await isPortFree(port))) return halted('port_taken', port);
    return null;
  }
  /** Brings its configuration files to their settings. What cannot be keeps it from nothing, and is in its console. */
  async configure(): Promise<void> {
    const { spec, state } = this.deps.server();
    const { slot } = state;
    const files = fillConfigFiles(spec.configFiles, spec, slot);
    if (files.length === 0) return;
    const problems = await this.deps.configure({ id: spec.id, slot, disk: spec.disk }, files);
    for (const { path, reason } of problems) this.deps.lines.add('config', `${reason} ${path}`);
  }

  /** The image of a server in a container; null where it has none. Throws where there is none to be had. */
  async findImage(isGivenUp: IsGivenUp): Promise<{ readonly name: string; readonly found: Image } | null> {
    const { spec, state } = this.deps.server();
    if (!spec.container) return null;
    const { image: name } = spec.container;
    // The one that it was installed with, unless its egg has another one since, or somebody removed it.
    const found =
      (state.image?.name === name ? await this.deps.engine.image(state.image.id) : null) ??
      (await this.image(name, isGivenUp));
    if (!found) throw new Error('there is no image of it');
    return { name, found };
  }
  /** Begins its own process, in a container where it has an image. Throws where it does not begin. */
  begin(image: Image | null): Promise<Running> {
    if (image) return this.deps.containers.start(this.containerLaunch(image, image.argv, null));
    const { argv, inside } = recipeOf(this.deps.server().spec);
    return this.deps.sandbox.start(this.launch(argv, inside));
  }
}
