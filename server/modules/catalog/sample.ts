import type * as z from 'zod/mini';
import type { eggCategories } from '#shared/resources/egg-categories.ts';
import type { EggInput } from '#shared/resources/eggs.ts';
import type { LocationInput } from '#shared/resources/locations.ts';
import type { EggVariable } from '#shared/schemas/egg.ts';

/** A catalogue to try things with: places that do not exist (addresses under `.example`), software that does. */
type SampleLocation = Omit<LocationInput, 'position'>;
type SampleCategory = Pick<z.output<typeof eggCategories.create>, 'name' | 'description'> & { readonly key: string };
type SampleEgg = Omit<EggInput, 'category_id' | 'enabled' | 'position' | 'picture'> & {
  readonly category: string;
};

export const SAMPLE_LOCATIONS: readonly SampleLocation[] = [
  {
    name: 'Frankfurt',
    description: 'The middle of Europe. Close to most players.',
    code: 'DE',
    address: 'fra.play.example',
    slots: 40,
    online: true,
    vip_only: false,
  },
  {
    name: 'Bucharest',
    description: 'Short ways to Romania, Moldova and the Balkans.',
    code: 'RO',
    address: 'buh.play.example',
    slots: 30,
    online: true,
    vip_only: false,
  },
  {
    name: 'Madrid',
    description: 'Fast machines kept for VIP members.',
    code: 'ES',
    address: 'mad.play.example',
    slots: 10,
    online: true,
    vip_only: true,
  },
];

export const SAMPLE_CATEGORIES: readonly SampleCategory[] = [
  { key: 'java', name: 'Minecraft: Java', description: 'Servers and proxies for the Java edition.' },
  { key: 'games', name: 'More games', description: 'Worlds to build and survive in with friends.' },
  { key: 'voice', name: 'Voice', description: 'Places to talk while you play.' },
  { key: 'web', name: 'Websites and apps', description: 'A website or a small program of your own.' },
];

const JAVA = 'ghcr.io/pterodactyl/yolks:java_21';

function variable(
  env: string,
  name: string,
  default_value: string,
  rules: string,
  more: { description?: string; user_editable?: boolean } = {},
): EggVariable {
  return {
    env,
    name,
    description: more.description ?? '',
    default_value,
    rules,
    user_editable: more.user_editable ?? true,
  };
}

const jarFile = variable('SERVER_JARFILE', 'Server file', 'server.jar', 'required|regex:/^([\\w\\d._-]+)(\\.jar)$/', {
  description: 'Name of the file that is started.',
});
const javaVersion = (what: string) =>
  variable('MINECRAFT_VERSION', 'Minecraft version', 'latest', 'required|string|between:3,15', {
    description: `Version of ${what} to install, or “latest”.`,
  });
const build = variable('BUILD_NUMBER', 'Build', 'latest', 'required|string|max:10', {
  description: 'A build number, or “latest”.',
});

export const SAMPLE_EGGS: readonly SampleEgg[] = [
  {
    category: 'java',
    name: 'Paper',
    description: 'Fast, with plugins. The usual choice for survival with friends.',
    shape: 'cube',
    hue: 5,
    vip_only: false,
    docker_image: JAVA,
    startup: 'java -Xms128M -XX:MaxRAMPercentage=95.0 -jar {{SERVER_JARFILE}} nogui',
    min_memory: 1024,
    min_disk: 1024,
    min_cpu: 50,
    variables: [jarFile, javaVersion('Minecraft'), build],
  },
  {
    category: 'java',
    name: 'Vanilla',
    description: 'The game as Mojang made it, without plugins or mods.',
    shape: 'cube',
    hue: 3,
    vip_only: false,
    docker_image: JAVA,
    startup: 'java -Xms128M -XX:MaxRAMPercentage=95.0 -jar {{SERVER_JARFILE}} nogui',
    min_memory: 1024,
    min_disk: 1024,
    min_cpu: 50,
    variables: [jarFile, { ...javaVersion('Minecraft'), env: 'VANILLA_VERSION' }],
  },
  {
    category: 'java',
    name: 'Fabric',
    description: 'A light loader for mods on current versions.',
    shape: 'cube',
    hue: 2,
    vip_only: false,
    docker_image: JAVA,
    startup: 'java -Xms128M -XX:MaxRAMPercentage=90.0 -jar {{SERVER_JARFILE}} nogui',
    min_memory: 2048,
    min_disk: 2048,
    min_cpu: 100,
    variables: [
      jarFile,
      { ...javaVersion('Minecraft'), env: 'MC_VERSION' },
      variable('LOADER_VERSION', 'Loader version', 'latest', 'required|string|between:3,15', {
        description: 'Version of the Fabric loader, or “latest”.',
      }),
    ],
  },
  {
    category: 'java',
    name: 'Velocity',
    description: 'A proxy that joins several servers into one network.',
    shape: 'pair',
    hue: 6,
    vip_only: true,
    docker_image: JAVA,
    startup: 'java -Xms128M -XX:MaxRAMPercentage=90.0 -XX:+UseG1GC -jar {{SERVER_JARFILE}}',
    min_memory: 512,
    min_disk: 512,
    min_cpu: 50,
    variables: [
      jarFile,
      variable('VELOCITY_VERSION', 'Velocity version', 'latest', 'required|string|between:3,20'),
      build,
    ],
  },
  {
    category: 'games',
    name: 'Terraria',
    description: 'Dig, fight and build in two dimensions, up to 16 players.',
    shape: 'stairs',
    hue: 4,
    vip_only: false,
    docker_image: 'ghcr.io/parkervcp/yolks:debian',
    startup:
      './TerrariaServer -port {{SERVER_PORT}} -maxplayers {{MAX_PLAYERS}} -world saves/{{WORLD_NAME}}.wld -worldname {{WORLD_NAME}} -autocreate {{WORLD_SIZE}} -difficulty {{WORLD_DIFFICULTY}} -password "{{SERVER_PASSWORD}}"',
    min_memory: 768,
    min_disk: 512,
    min_cpu: 50,
    variables: [
      variable('TERRARIA_VERSION', 'Version', 'latest', 'required|string|max:10', {
        description: 'A version number, or “latest”.',
      }),
      variable('WORLD_NAME', 'World name', 'world', 'required|alpha_dash|max:40'),
      variable('WORLD_SIZE', 'World size', '2', 'required|in:1,2,3', { description: '1 small, 2 medium, 3 large.' }),
      variable('WORLD_DIFFICULTY', 'Difficulty', '0', 'required|in:0,1,2,3', {
        description: '0 classic, 1 expert, 2 master, 3 journey.',
      }),
      variable('MAX_PLAYERS', 'Players', '8', 'required|integer|between:1,16'),
      variable('SERVER_PASSWORD', 'Password', '', 'nullable|alpha_dash|max:40', {
        description: 'Leave empty to let everybody in.',
      }),
    ],
  },
  {
    category: 'games',
    name: 'Factorio',
    description: 'Build a factory together until it fills the planet.',
    shape: 'stairs',
    hue: 1,
    vip_only: false,
    docker_image: 'ghcr.io/parkervcp/yolks:debian',
    startup:
      './bin/x64/factorio --port {{SERVER_PORT}} --server-settings data/server-settings.json --start-server saves/{{SAVE_NAME}}.zip',
    min_memory: 1024,
    min_disk: 2048,
    min_cpu: 100,
    variables: [
      variable('FACTORIO_VERSION', 'Version', 'latest', 'required|string|between:3,12', {
        description: 'A version number, “latest” or “experimental”.',
      }),
      variable('SAVE_NAME', 'Save name', 'gamesave', 'required|alpha_dash|between:1,100'),
      variable('MAX_SLOTS', 'Players', '20', 'required|integer|between:1,100'),
    ],
  },
  {
    category: 'games',
    name: 'Valheim',
    description: 'Survive the tenth Norse world with up to ten vikings.',
    shape: 'stairs',
    hue: 8,
    vip_only: false,
    docker_image: 'ghcr.io/parkervcp/games:valheim',
    startup:
      './valheim_server.x86_64 -nographics -batchmode -name "{{SERVER_NAME}}" -port {{SERVER_PORT}} -world "{{WORLD}}" -password "{{PASSWORD}}" -public {{PUBLIC_SERVER}}',
    min_memory: 2048,
    min_disk: 3072,
    min_cpu: 100,
    variables: [
      variable('SERVER_NAME', 'Name in the server list', 'Viking hall', 'required|string|max:60|not_regex:/["$`\\\\]/'),
      variable('WORLD', 'World name', 'Dedicated', 'required|alpha_dash|max:20'),
      variable('PASSWORD', 'Password', '', 'required|alpha_dash|between:5,20', {
        description: 'The game asks for at least five letters or digits.',
      }),
      variable('PUBLIC_SERVER', 'Show in the server list', '1', 'required|boolean'),
    ],
  },
  {
    category: 'voice',
    name: 'Mumble',
    description: 'Clear voice chat with little delay.',
    shape: 'pillar',
    hue: 10,
    vip_only: false,
    docker_image: 'ghcr.io/parkervcp/yolks:voice_mumble',
    startup: 'mumble-server -fg -ini murmur.ini',
    min_memory: 256,
    min_disk: 256,
    min_cpu: 10,
    variables: [
      variable('MAX_USERS', 'Users at once', '50', 'required|integer|between:1,500'),
      variable('MUMBLE_VERSION', 'Version', 'latest', 'required|string|max:9', { user_editable: false }),
    ],
  },
  {
    category: 'web',
    name: 'Website',
    description: 'Pages, pictures and styles: put your files in a folder.',
    shape: 'stairs',
    hue: 4,
    vip_only: false,
    docker_image: 'spawnpoint/static-website',
    startup: 'bun static-website.ts',
    min_memory: 256,
    min_disk: 256,
    min_cpu: 10,
    variables: [],
  },
  {
    category: 'web',
    name: 'Bun app',
    description: 'A program in TypeScript or JavaScript that answers on its port.',
    shape: 'pair',
    hue: 1,
    vip_only: false,
    docker_image: 'spawnpoint/bun-app',
    startup: 'bun run ./index.ts',
    min_memory: 256,
    min_disk: 256,
    min_cpu: 25,
    variables: [],
  },
  {
    category: 'web',
    name: 'Node app',
    description: 'A program in JavaScript for Node that answers on its port.',
    shape: 'pair',
    hue: 3,
    vip_only: false,
    docker_image: 'spawnpoint/node-app',
    startup: 'node ./index.js',
    min_memory: 256,
    min_disk: 256,
    min_cpu: 25,
    variables: [],
  },
  {
    category: 'web',
    name: 'Python app',
    description: 'A program in Python that answers on its port.',
    shape: 'pair',
    hue: 2,
    vip_only: false,
    docker_image: 'spawnpoint/python-app',
    startup: 'python3 -u ./main.py',
    min_memory: 256,
    min_disk: 256,
    min_cpu: 25,
    variables: [],
  },
  {
    category: 'web',
    name: 'Java app',
    description: 'Your own server.jar, a Minecraft server for one.',
    shape: 'pair',
    hue: 6,
    vip_only: false,
    docker_image: 'spawnpoint/java-app',
    startup: 'java -jar server.jar nogui',
    min_memory: 512,
    min_disk: 512,
    min_cpu: 50,
    variables: [],
  },
];
