import * as z from 'zod/mini';
import { checksumOf, DownloadFailed, type Entry, type Plan, type SourceFile } from './plan.ts';
import { beginningOf, choose, isName, nameOf, type Reader } from './reader.ts';

/** Of releases before Mojang said which Java they need. */
const FIRST_JAVA = 8;
/** How many versions are looked at for the newest that is fit. */
const NEWEST = 10;

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

/** The game as Mojang publishes it, and the Java that it needs. */
export async function mojang(reader: Reader, wanted: string) {
  const { latest, versions } = await reader.json(
    'https://piston-meta.mojang.com/mc/game/version_manifest_v2.json',
    mojangList,
  );
  const ids = versions.map(({ id }) => id);
  const version = choose(wanted, ids, latest.release);
  const { url = '' } = versions.find(({ id }) => id === version) ?? {};
  const { downloads, javaVersion } = await reader.json(url, mojangVersion);
  if (!downloads.server) throw new DownloadFailed(`Version ${version} has no server.`);
  const { sha1, size, url: from } = downloads.server;
  const file = { url: from, path: 'server.jar', checksum: checksumOf('sha1', sha1), size };
  const entry: Entry = { name: `minecraft-${version}-${beginningOf(file)}`, files: [file] };
  return { version, entry, java: javaVersion?.majorVersion ?? FIRST_JAVA };
}

export async function paper(reader: Reader, project: 'paper' | 'velocity', wanted: string) {
  const base = `https://fill.papermc.io/v3/projects/${project}`;
  const { versions } = await reader.json(base, paperProject);
  const listed = Object.values(versions).flat();
  // The newest that has a build its makers call fit; what is asked for by name may have only others.
  const candidates = wanted === 'latest' ? listed.slice(0, NEWEST) : [choose(wanted, listed, undefined)];
  for (const candidate of candidates) {
    const version = nameOf(candidate);
    const builds = await reader.json(`${base}/versions/${version}/builds`, paperBuilds);
    const build =
      builds.find(({ channel }) => channel === 'STABLE' || channel === 'RECOMMENDED') ??
      (wanted === 'latest' ? undefined : builds[0]);
    const found = build?.downloads['server:default'];
    if (!build || !found) continue;
    const { java: needs } = (await reader.json(`${base}/versions/${version}`, paperVersion)).version;
    const checksum = checksumOf('sha256', found.checksums.sha256);
    const file = { url: found.url, path: 'server.jar', checksum, size: found.size };
    const entry: Entry = { name: `${project}-${version}-${build.id}-${beginningOf(file)}`, files: [file] };
    return { version, entry, java: needs.version.minimum };
  }
  throw new DownloadFailed('The source has no build of it.');
}

export async function purpur(reader: Reader, wanted: string): Promise<Plan> {
  const base = 'https://api.purpurmc.org/v2/purpur';
  const { versions } = await reader.json(base, purpurProject);
  const version = choose(wanted, versions, versions.at(-1));
  const { build, md5 } = await reader.json(`${base}/${version}/latest`, purpurBuild);
  const game = await mojang(reader, version);
  const file: SourceFile = {
    url: `${base}/${version}/${nameOf(build)}/download`,
    path: 'server.jar',
    checksum: checksumOf('md5', md5),
    size: null,
  };
  const entry = { name: `purpur-${version}-${build}-${beginningOf(file)}`, files: [file] };
  return { version, ingredients: { game: entry, base: game.entry, java: await reader.java(game.java) } };
}

/** A library of Maven, with the checksum that its repository publishes beside it. */
async function library(
  reader: Reader,
  { name, url, sha256, size }: z.infer<typeof fabricProfile>['libraries'][number],
) {
  const [group, artifact, version, ...more] = name.split(':');
  if (!group || !artifact || !version || more.length > 0 || ![group, artifact, version].every(isName))
    throw new DownloadFailed('The source names a library that is none.');
  const file = `${artifact}-${version}.jar`;
  const at = `${url.replace(/\/$/, '')}/${group.replaceAll('.', '/')}/${artifact}/${version}/${file}`;
  const checksum =
    sha256 === undefined ? checksumOf('sha1', await reader.text(`${at}.sha1`)) : checksumOf('sha256', sha256);
  return { url: at, path: `lib/${file}`, checksum, size: size ?? null };
}
export async function fabric(reader: Reader, wanted: string): Promise<Plan> {
  const base = 'https://meta.fabricmc.net/v2/versions';
  const games = await reader.json(`${base}/game`, fabricGames);
  const version = choose(
    wanted,
    games.map((each) => each.version),
    games.find(({ stable }) => stable)?.version,
  );
  const loaders = await reader.json(`${base}/loader`, fabricLoaders);
  const loader = nameOf((loaders.find(({ stable }) => stable) ?? loaders[0])?.version ?? '');
  const profile = await reader.json(`${base}/loader/${version}/${loader}/server/json`, fabricProfile);
  const files: SourceFile[] = [];
  for (const each of profile.libraries) files.push(await library(reader, each));
  const game = await mojang(reader, version);
  const hash = new Bun.CryptoHasher('sha256').update(files.map(beginningOf).join()).digest('hex').slice(0, 16);
  const entry: Entry = {
    name: `fabric-${version}-${loader}-${hash}`,
    files,
    texts: { 'main-class': profile.mainClass },
  };
  return { version, ingredients: { game: entry, base: game.entry, java: await reader.java(game.java) } };
}
