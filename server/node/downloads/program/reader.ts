import * as z from 'zod/mini';
import { checksumOf, DownloadFailed, type Entry, type SourceFile } from './plan.ts';
import type { Transfer } from './transfer.ts';

/** How answers of sources are read. */
export type Reader = ReturnType<typeof createReader>;

/** Versions of Java that are looked after for years, in order: the first that is not too old is taken. */
const JAVAS = [8, 11, 17, 21, 25];
const VERSION = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,39}$/;
/** Whether a text may stand in an address and in the name of a folder. */
export const isName = (text: string): boolean => VERSION.test(text);
/** A version of a source, which is a name. Throws DownloadFailed. */
export function nameOf(text: string): string {
  if (!isName(text)) throw new DownloadFailed('The source names a version that is none.');
  return text;
}
/** What tells a build from another in the name of its entry. */
export const beginningOf = ({ checksum }: SourceFile): string => checksum?.value.slice(0, 16) ?? 'unchecked';

/** The version that is meant. Throws where the source does not list it. */
export function choose(wanted: string, listed: readonly string[], latest: string | undefined): string {
  const version = wanted === 'latest' ? latest : listed.find((each) => each === wanted);
  if (version === undefined) throw new DownloadFailed(`The source has no version ${wanted}.`);
  return nameOf(version);
}

const adoptium = z.array(
  z.object({
    binary: z.object({ package: z.object({ checksum: z.string(), link: z.string(), size: z.number() }) }),
  }),
);

/** `arch`: the processor as Adoptium calls it. */
export function createReader(transfer: Pick<Transfer, 'text'>, arch: 'x64' | 'aarch64') {
  /** An answer, checked. Throws DownloadFailed. */
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
  /** The Java that a game needs at least. */
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

  return { text: transfer.text, json, java };
}
