import * as z from 'zod/mini';
import { checksumOf, DownloadFailed, type Entry, type Plan, type SourceFile } from './plan.ts';
import type { Transfer } from './transfer.ts';

/** What can be loaded: the recipes that need it, each with its source. */
export const DOWNLOADS = [
  'minecraft-vanilla',
  'minecraft-paper',
  'minecraft-purpur',
  'minecraft-fabric',
  'minecraft-velocity',
  'mindustry',
  'terraria',
  'factorio',
] as const;
export type Download = (typeof DOWNLOADS)[number];

interface Deps {
  readonly transfer: Pick<Transfer, 'text'>;
  /** As Adoptium calls the processor. */
  readonly arch: 'x64' | 'aarch64';
}
/** Versions of Java that are looked after for years, in order: the first that is not too old is taken. */
const JAVAS = [8, 11, 17, 21, 25];
/** Of releases before Mojang said which Java they need. */
const FIRST_JAVA = 8;
const VERSION = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,39}$/;
/** A version of a source that may stand in an address and in the name of a folder. Throws DownloadFailed. */
function nameOf(text: string): string {
  if (!VERSION.test(text)) throw new DownloadFailed('The source names a version that is none.');
  return text;
}
const beginningOf = ({ checksum }: SourceFile) => checksum?.value.slice(0, 16) ?? 'unchecked';

/** Answers of sources; each is checked, and what is not used of it is not read. */
const mojangList = z.object({
  latest: z.object({ release: z.string() }),
  versions: z.array(z.object({ id: z.string(), url: z.string() })),
});
const mojangVersion = z.object({
  downloads: z.object({ server: z.optional(z.object({ sha1: z.string(), size: z.number(), url: z.string() })) }),
  javaVersion: z.optional(z.object({ majorVersion: z.int() })),
});
const paperProject = z.object({ versions: z.record(z.string(), z.array(z.string())) });
const paperVersion = z.object({
  version: z.object({ java: z.object({ version: z.object({ minimum: z.int() }) }) }),
});
const paperBuilds = z.array(
  z.object({
    id: z.int(),
    channel: z.string(),
    downloads: z.record(
      z.string(),
      z.object({ checksums: z.object({ sha256: z.string() }), size: z.number(), url: z.string() }),
    ),
  }),
);
const purpurProject = z.object({ versions: z.array(z.string()) });
const purpurBuild = z.object({ build: z.string(), md5: z.string() });
const fabricGames = z.array(z.object({ version: z.string(), stable: z.boolean() }));
const fabricLoaders = z.array(z.object({ version: z.string(), stable: z.boolean() }));
const fabricProfile = z.object({
  mainClass: z.string().check(z.regex(/^[A-Za-z0-9_.]{1,200}$/)),
  libraries: z.array(
    z.object({ name: z.string(), url: z.string(), sha256: z.optional(z.string()), size: z.optional(z.number()) }),
  ),
});
const adoptium = z.array(
  z.object({
    binary: z.object({ package: z.object({ checksum: z.string(), link: z.string(), size: z.number() }) }),
  }),
);
const githubRelease = z.object({
  tag_name: z.string(),
  assets: z.array(
    z.object({
      name: z.string(),
      size: z.number(),
      digest: z.optional(z.nullable(z.string())),
      browser_download_url: z.string(),
    }),
  ),
});
const terrariaNames = z.array(z.string());
const factorioLatest = z.object({ stable: z.object({ headless: z.string() }) });

/** Finds out what has to be loaded. `version`: one that the source lists, or `latest`. Throws DownloadFailed. */
export function createSources({ transfer, arch }: Deps) {
  async function json<T>(url: string, schema: z.ZodMiniType<T>): Promise<T> {
    const text = await transfer.text(url);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw new DownloadFailed('The source answers with something that is not JSON.');
    }
    const read = schema.safeParse(value);
    if (!read.success) throw new DownloadFailed('The source answers otherwise than it used to.');
    return read.data;
  }
  /** The version that is meant. Throws where the source does not list it. */
  function choose(wanted: string, listed: readonly string[], latest: string | undefined): string {
    const version = wanted === 'latest' ? latest : listed.find((each) => each === wanted);
    if (version === undefined) throw new DownloadFailed(`The source has no version ${wanted}.`);
    return nameOf(version);
  }

  async function java(least: number): Promise<Entry> {
    const major = JAVAS.find((each) => each >= least) ?? least;
    const [found] = await json(
      `https://api.adoptium.net/v3/assets/latest/${major}/hotspot?architecture=${arch}&image_type=jre&os=linux&vendor=eclipse`,
      adoptium,
    );
    if (!found) throw new DownloadFailed(`There is no Java ${major} for this machine.`);
    const { checksum, link, size } = found.binary.package;
    const file = { url: link, path: 'java.tar.gz', checksum: checksumOf('sha256', checksum), size };
    return { name: `java-${major}-${beginningOf(file)}`, files: [file], unpack: { kind: 'tar.gz', strip: 1 } };
  }

  /** The game as Mojang publishes it, and the Java that it needs. */
  async function mojang(wanted: string) {
    const { latest, versions } = await json(
      'https://piston-meta.mojang.com/mc/game/version_manifest_v2.json',
      mojangList,
    );
    const ids = versions.map(({ id }) => id);
    const version = choose(wanted, ids, latest.release);
    const { url = '' } = versions.find(({ id }) => id === version) ?? {};
    const { downloads, javaVersion } = await json(url, mojangVersion);
    if (!downloads.server) throw new DownloadFailed(`Version ${version} has no server.`);
    const { sha1, size, url: from } = downloads.server;
    const file = { url: from, path: 'server.jar', checksum: checksumOf('sha1', sha1), size };
    const entry: Entry = { name: `minecraft-${version}-${beginningOf(file)}`, files: [file] };
    return { version, entry, java: javaVersion?.majorVersion ?? FIRST_JAVA };
  }

  async function paper(project: 'paper' | 'velocity', wanted: string) {
    const base = `https://fill.papermc.io/v3/projects/${project}`;
    const { versions } = await json(base, paperProject);
    const listed = Object.values(versions).flat();
    // The newest that has a build its makers call fit; what is asked for by name may have only others.
    const candidates = wanted === 'latest' ? listed.slice(0, 10) : [choose(wanted, listed, undefined)];
    for (const candidate of candidates) {
      const version = nameOf(candidate);
      const builds = await json(`${base}/versions/${version}/builds`, paperBuilds);
      const build =
        builds.find(({ channel }) => channel === 'STABLE' || channel === 'RECOMMENDED') ??
        (wanted === 'latest' ? undefined : builds[0]);
      const found = build?.downloads['server:default'];
      if (!build || !found) continue;
      const { java: needs } = (await json(`${base}/versions/${version}`, paperVersion)).version;
      const checksum = checksumOf('sha256', found.checksums.sha256);
      const file = { url: found.url, path: 'server.jar', checksum, size: found.size };
      const entry: Entry = { name: `${project}-${version}-${build.id}-${beginningOf(file)}`, files: [file] };
      return { version, entry, java: needs.version.minimum };
    }
    throw new DownloadFailed('The source has no build of it.');
  }

  async function purpur(wanted: string): Promise<Plan> {
    const base = 'https://api.purpurmc.org/v2/purpur';
    const { versions } = await json(base, purpurProject);
    const version = choose(wanted, versions, versions.at(-1));
    const { build, md5 } = await json(`${base}/${version}/latest`, purpurBuild);
    const game = await mojang(version);
    const file: SourceFile = {
      url: `${base}/${version}/${nameOf(build)}/download`,
      path: 'server.jar',
      checksum: checksumOf('md5', md5),
      size: null,
    };
    const entry = { name: `purpur-${version}-${build}-${beginningOf(file)}`, files: [file] };
    return { version, ingredients: { game: entry, base: game.entry, java: await java(game.java) } };
  }

  /** A library of Maven, with the checksum that its repository publishes beside it. */
  async function library({ name, url, sha256, size }: z.infer<typeof fabricProfile>['libraries'][number]) {
    const [group, artifact, version, ...more] = name.split(':');
    if (!group || !artifact || !version || more.length > 0 || ![group, artifact, version].every((x) => VERSION.test(x)))
      throw new DownloadFailed('The source names a library that is none.');
    const file = `${artifact}-${version}.jar`;
    const at = `${url.replace(/\/$/, '')}/${group.replaceAll('.', '/')}/${artifact}/${version}/${file}`;
    const checksum =
      sha256 === undefined ? checksumOf('sha1', await transfer.text(`${at}.sha1`)) : checksumOf('sha256', sha256);
    return { url: at, path: `lib/${file}`, checksum, size: size ?? null };
  }
  async function fabric(wanted: string): Promise<Plan> {
    const base = 'https://meta.fabricmc.net/v2/versions';
    const games = await json(`${base}/game`, fabricGames);
    const version = choose(
      wanted,
      games.map((each) => each.version),
      games.find(({ stable }) => stable)?.version,
    );
    const loaders = await json(`${base}/loader`, fabricLoaders);
    const loader = nameOf((loaders.find(({ stable }) => stable) ?? loaders[0])?.version ?? '');
    const profile = await json(`${base}/loader/${version}/${loader}/server/json`, fabricProfile);
    const files: SourceFile[] = [];
    for (const each of profile.libraries) files.push(await library(each));
    const game = await mojang(version);
    const hash = new Bun.CryptoHasher('sha256').update(files.map(beginningOf).join()).digest('hex').slice(0, 16);
    const entry: Entry = {
      name: `fabric-${version}-${loader}-${hash}`,
      files,
      texts: { 'main-class': profile.mainClass },
    };
    return { version, ingredients: { game: entry, base: game.entry, java: await java(game.java) } };
  }

  async function mindustry(wanted: string): Promise<Plan> {
    const base = 'https://api.github.com/repos/Anuken/Mindustry/releases';
    const tag = wanted === 'latest' ? 'latest' : `tags/${nameOf(wanted)}`;
    const { tag_name: name, assets } = await json(`${base}/${tag}`, githubRelease);
    const version = nameOf(name);
    const found = assets.find((each) => each.name === 'server-release.jar');
    if (!found) throw new DownloadFailed(`Version ${version} has no server.`);
    const sha256 = /^sha256:(.*)$/.exec(found.digest ?? '')?.[1];
    const file: SourceFile = {
      url: found.browser_download_url,
      path: 'server.jar',
      checksum: sha256 === undefined ? null : checksumOf('sha256', sha256),
      size: found.size,
    };
    return {
      version,
      ingredients: { game: { name: `mindustry-${version}-${beginningOf(file)}`, files: [file] }, java: await java(17) },
    };
  }

  async function terraria(wanted: string): Promise<Plan> {
    // Its makers list only the newest; older ones stay where they were, 1.4.4.9 as 1449.
    const [newest] = await json('https://terraria.org/api/get/dedicated-servers-names', terrariaNames);
    const digits =
      wanted === 'latest' ? /^terraria-server-(\d{3,6})\.zip$/.exec(newest ?? '')?.[1] : wanted.replaceAll('.', '');
    if (digits === undefined || !/^\d{3,6}$/.test(digits))
      throw new DownloadFailed(`The source has no version ${wanted}.`);
    const file = {
      url: `https://terraria.org/api/download/pc-dedicated-server/terraria-server-${digits}.zip`,
      path: 'terraria.zip',
      checksum: null,
      size: null,
    };
    const entry: Entry = {
      name: `terraria-${digits}`,
      files: [file],
      unpack: { kind: 'zip', strip: 1, only: 'Linux/', programs: ['TerrariaServer.bin.x86_64'] },
    };
    return { version: digits, ingredients: { game: entry } };
  }

  async function factorio(wanted: string): Promise<Plan> {
    const sums = await transfer.text('https://factorio.com/download/sha256sums/');
    const listed = new Map(
      [...sums.matchAll(/^([0-9a-f]{64})\s+factorio[-_]headless[-_](?:linux|x64)_(\d+\.\d+\.\d+)\.tar\.xz$/gm)].map(
        ([, sum = '', version = '']) => [version, sum],
      ),
    );
    const latest =
      wanted === 'latest'
        ? (await json('https://factorio.com/api/latest-releases', factorioLatest)).stable.headless
        : undefined;
    const version = choose(latest ?? wanted, [...listed.keys()], undefined);
    const file = {
      url: `https://factorio.com/get-download/${version}/headless/linux64`,
      path: 'factorio.tar.xz',
      checksum: checksumOf('sha256', listed.get(version) ?? ''),
      size: null,
    };
    const entry: Entry = {
      name: `factorio-${version}-${beginningOf(file)}`,
      files: [file],
      unpack: { kind: 'tar.xz', strip: 1 },
    };
    return { version, ingredients: { game: entry } };
  }

  /** What has to be there. */
  return async (download: Download, wanted: string): Promise<Plan> => {
    switch (download) {
      case 'minecraft-vanilla': {
        const { version, entry, java: least } = await mojang(wanted);
        return { version, ingredients: { game: entry, java: await java(least) } };
      }
      case 'minecraft-paper': {
        const game = await paper('paper', wanted);
        // Paper is a patch of Mojang's file, which it would load itself from inside the server.
        const base = await mojang(game.version);
        return {
          version: game.version,
          ingredients: { game: game.entry, base: base.entry, java: await java(game.java) },
        };
      }
      case 'minecraft-velocity': {
        const game = await paper('velocity', wanted);
        return { version: game.version, ingredients: { game: game.entry, java: await java(game.java) } };
      }
      case 'minecraft-purpur':
        return purpur(wanted);
      case 'minecraft-fabric':
        return fabric(wanted);
      case 'mindustry':
        return mindustry(wanted);
      case 'terraria':
        return terraria(wanted);
      case 'factorio':
        return factorio(wanted);
      default:
        return download satisfies never;
    }
  };
}
