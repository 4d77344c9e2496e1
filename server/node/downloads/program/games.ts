import * as z from 'zod/mini';
import { checksumOf, DownloadFailed, type Entry, type Plan, type SourceFile } from './plan.ts';
import { beginningOf, choose, nameOf, type Reader } from './reader.ts';

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

export async function mindustry(reader: Reader, wanted: string): Promise<Plan> {
  const base = 'https://api.github.com/repos/Anuken/Mindustry/releases';
  const tag = wanted === 'latest' ? 'latest' : `tags/${nameOf(wanted)}`;
  const { tag_name: name, assets } = await reader.json(`${base}/${tag}`, githubRelease);
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
    ingredients: {
      game: { name: `mindustry-${version}-${beginningOf(file)}`, files: [file] },
      java: await reader.java(17),
    },
  };
}

export async function terraria(reader: Reader, wanted: string): Promise<Plan> {
  // Its makers list only the newest; older ones stay where they were, 1.4.4.9 as 1449.
  const [newest] = await reader.json('https://terraria.org/api/get/dedicated-servers-names', terrariaNames);
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

export async function factorio(reader: Reader, wanted: string): Promise<Plan> {
  const sums = await reader.text('https://factorio.com/download/sha256sums/');
  const listed = new Map(
    [...sums.matchAll(/^([0-9a-f]{64})\s+factorio[-_]headless[-_](?:linux|x64)_(\d+\.\d+\.\d+)\.tar\.xz$/gm)].map(
      ([, sum = '', version = '']) => [version, sum],
    ),
  );
  const latest =
    wanted === 'latest'
      ? (await reader.json('https://factorio.com/api/latest-releases', factorioLatest)).stable.headless
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
