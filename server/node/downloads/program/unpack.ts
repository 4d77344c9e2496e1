import { Unzip, UnzipInflate } from 'fflate';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DownloadFailed, type Unpacking } from './plan.ts';

/** Bytes and files that may come out of an archive. */
const MOST_BYTES = 2_147_483_648;
const MOST_FILES = 50_000;

/** Unpacks an archive into a new folder. Throws DownloadFailed where it cannot. */
export async function unpack(archive: string, folder: string, how: Unpacking): Promise<void> {
  await mkdir(folder, { recursive: true });
  await (how.kind === 'zip' ? unzip(archive, folder, how) : untar(archive, folder, how));
  for (const path of how.programs ?? [])
    await chmod(join(folder, path), 0o755).catch(() => {
      throw new DownloadFailed('The archive does not have what it should.');
    });
}

/** By the machine's tar: names that lead out are refused by it, and by the sandbox. */
async function untar(archive: string, folder: string, { kind, strip }: Unpacking): Promise<void> {
  const by = kind === 'tar.gz' ? '--gzip' : '--xz';
  const words = ['--extract', by, `--file=${archive}`, `--directory=${folder}`, `--strip-components=${strip}`];
  const tar = Bun.spawn(['tar', ...words, '--no-same-owner', '--no-same-permissions'], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  if ((await tar.exited) !== 0) throw new DownloadFailed('The archive cannot be unpacked.');
}

/** Piece by piece, so that a large archive takes no memory. */
async function unzip(archive: string, folder: string, { strip, only = '' }: Unpacking): Promise<void> {
  let [bytes, files] = [0, 0];
  let fault: unknown = null;
  const reader = new Unzip((file) => {
    const name = placeOf(file.name, strip, only);
    files += 1;
    if (name === null) return;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    const out = openSync(join(folder, name), 'wx', 0o644);
    file.ondata = (error, piece, isLast) => {
      bytes += piece.byteLength;
      if (error) fault = error;
      else if (piece.byteLength > 0) writeSync(out, piece);
      if (isLast || error) closeSync(out);
    };
    file.start();
  });
  reader.register(UnzipInflate);
  try {
    for await (const piece of Bun.file(archive).stream()) {
      reader.push(piece);
      if (fault || bytes > MOST_BYTES || files > MOST_FILES) break;
    }
    if (!fault) reader.push(new Uint8Array(), true);
  } catch (error) {
    fault = error;
  }
  if (bytes > MOST_BYTES || files > MOST_FILES) throw new DownloadFailed('The archive holds more than it may.');
  if (fault || bytes === 0) throw new DownloadFailed('The archive cannot be unpacked.');
}

/** Where a file of an archive goes; null: it is a folder, not wanted, or has a name that leads out. */
function placeOf(name: string, strip: number, only: string): string | null {
  const parts = name.split('/').slice(strip);
  const place = parts.join('/');
  const isPlain =
    !name.includes('\\') && !name.includes('\0') && parts.every((part) => !['', '.', '..'].includes(part));
  return isPlain && place.startsWith(only) && place !== only ? place.slice(only.length) : null;
}
