import WEBSITE from './recipes/static-website.ts.txt' with { type: 'text' };
import WEBSITE_INDEX from './recipes/website-index.html.txt' with { type: 'text' };
import BUN_INDEX from './recipes/bun-index.ts.txt' with { type: 'text' };
import JAVA_APP from './recipes/java-app.sh.txt' with { type: 'text' };
import NODE_INDEX from './recipes/node-index.js.txt' with { type: 'text' };
import PYTHON_MAIN from './recipes/python-main.py.txt' with { type: 'text' };
import FACTORIO from './recipes/factorio.sh.txt' with { type: 'text' };
import JAVA_GAME from './recipes/java-game.sh.txt' with { type: 'text' };
import TERRARIA from './recipes/terraria.sh.txt' with { type: 'text' };
import type { Download } from '#server/panel/embedded/runtime.ts';
import type { RecipeId } from '#server/panel/index.ts';

/** How a kind of server is installed, started and stopped. Nothing in it comes from outside of the program. */
export interface Recipe {
  /** Files that a new server begins with, by path in its folder; what is there already stays. */
  readonly files: Readonly<Record<string, string>>;
  /** Files beside the program that starts the server; it reads them and cannot change them. */
  readonly inside: Readonly<Record<string, string>>;
  /** Programs of the machine that it is run with, by absolute path, and the package that has them; absent: none. */
  readonly needs?: { readonly program: string; readonly package: string };
  readonly argv: readonly string[];
  /** Part of the line of the console that says it is ready, or what knows that line; null: it is as soon as it runs. */
  readonly ready: string | ((line: string) => boolean) | null;
  /** A signal, or what is written into its standard input. */
  readonly stop: 'SIGTERM' | 'SIGINT' | { readonly command: string };
  /** How long it may take to stop, in seconds; then it is killed. */
  readonly stopSeconds: number;
  /** What is loaded when it is installed, and the variable that says which version of it. */
  readonly download?: { readonly from: Download; readonly variable: string };
  /** It starts only when its owner has accepted a licence. */
  readonly licence?: 'minecraft';
  /** Processors that it is made for; absent: all. */
  readonly processor?: 'x64';
}

const BUN = '/opt/spawnpoint/bun';

/** A game in Java, run by a script that knows it by its name. */
const javaGame = (
  from: Extract<Download, `minecraft-${string}` | 'mindustry'>,
  game: Pick<Recipe, 'ready' | 'stop' | 'licence'> & { readonly variable: string },
): Recipe => ({
  files: {},
  inside: { 'java-game.sh': JAVA_GAME },
  argv: ['/bin/sh', '/opt/spawnpoint/java-game.sh', from],
  ready: game.ready,
  stop: game.stop,
  // It saves its world first.
  stopSeconds: 60,
  download: { from, variable: game.variable },
  ...(game.licence && { licence: game.licence }),
});
const MINECRAFT = {
  variable: 'MINECRAFT_VERSION',
  ready: ')! For help, type "help"',
  stop: { command: 'stop' },
  licence: 'minecraft',
} as const;

/**
 * Those of the first group need nothing from the network: Bun is this very program, other runtimes are the machine's
 * own.
 */
export const RECIPES: Readonly<Record<Exclude<RecipeId, 'container'>, Recipe>> = {
  'static-website': {
    files: { 'public/index.html': WEBSITE_INDEX },
    inside: { 'static-website.ts': WEBSITE },
    argv: [BUN, '/opt/spawnpoint/static-website.ts'],
    ready: 'The website is ready',
    stop: 'SIGTERM',
    stopSeconds: 10,
  },
  'bun-app': {
    files: { 'index.ts': BUN_INDEX },
    inside: {},
    argv: [BUN, 'run', './index.ts'],
    ready: null,
    stop: 'SIGTERM',
    stopSeconds: 10,
  },
  'node-app': {
    files: { 'index.js': NODE_INDEX },
    inside: {},
    needs: { program: '/usr/bin/node', package: 'nodejs' },
    argv: ['/usr/bin/node', './index.js'],
    ready: null,
    stop: 'SIGTERM',
    stopSeconds: 10,
  },
  'python-app': {
    files: { 'main.py': PYTHON_MAIN },
    inside: {},
    needs: { program: '/usr/bin/python3', package: 'python3' },
    // Without -u what it prints waits for a full buffer.
    argv: ['/usr/bin/python3', '-u', './main.py'],
    ready: null,
    stop: 'SIGTERM',
    stopSeconds: 10,
  },
  'java-app': {
    files: {},
    inside: { 'java-app.sh': JAVA_APP },
    needs: { program: '/usr/bin/java', package: 'default-jre-headless' },
    argv: ['/bin/sh', '/opt/spawnpoint/java-app.sh'],
    ready: null,
    stop: 'SIGTERM',
    // A game saves its world first.
    stopSeconds: 60,
  },
  'minecraft-vanilla': javaGame('minecraft-vanilla', MINECRAFT),
  'minecraft-paper': javaGame('minecraft-paper', MINECRAFT),
  'minecraft-purpur': javaGame('minecraft-purpur', MINECRAFT),
  'minecraft-fabric': javaGame('minecraft-fabric', MINECRAFT),
  'minecraft-velocity': javaGame('minecraft-velocity', {
    variable: 'VELOCITY_VERSION',
    ready: 'Done (',
    stop: { command: 'shutdown' },
  }),
  mindustry: javaGame('mindustry', {
    variable: 'MINDUSTRY_VERSION',
    ready: 'Opened a server on port',
    stop: { command: 'exit' },
  }),
  terraria: {
    files: {},
    inside: { 'terraria.sh': TERRARIA },
    argv: ['/bin/sh', '/opt/spawnpoint/terraria.sh'],
    ready: 'Server started',
    stop: { command: 'exit' },
    stopSeconds: 60,
    download: { from: 'terraria', variable: 'TERRARIA_VERSION' },
    processor: 'x64',
  },
  factorio: {
    files: {},
    inside: { 'factorio.sh': FACTORIO },
    needs: { program: '/usr/bin/xz', package: 'xz-utils' },
    argv: ['/bin/sh', '/opt/spawnpoint/factorio.sh'],
    ready: 'to(InGame)',
    stop: 'SIGINT',
    stopSeconds: 60,
    download: { from: 'factorio', variable: 'FACTORIO_VERSION' },
    processor: 'x64',
  },
};
