import { lstat, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ConfigFile } from '#shared/config-files.ts';
import type { FileRefusal } from '#shared/schemas/server-files.ts';
import type { ConfigProblem, ProgramInput, ProgramOutput } from '../calls.ts';
import { codeOf, refusalOf, Refused, type Places } from './places.ts';
import { openText, save, type Tools } from './files.ts';
import { setIn } from './settings/settings.ts';

const PROBLEMS: Partial<Record<FileRefusal, ConfigProblem['reason']>> = {
  too_large: 'too_large',
  disk_full: 'disk_full',
  not_text: 'unreadable',
};

/** Makes the folders of a path, none of them behind a link that leads elsewhere. */
async function makeFolders(places: Places, path: string): Promise<void> {
  const folder = dirname(path);
  if (folder === '.') return;
  await makeFolders(places, folder);
  await mkdir(await places.at(folder), { mode: 0o755 }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
}

/** The text of a file, and what it is at this moment; null: there is none yet. */
async function readNow(tools: Tools, path: string): Promise<{ text: string; version: string | null }> {
  try {
    const { value, bytes } = await openText(tools, { path });
    // A mark at its beginning is a part of it.
    return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), version: value.version };
  } catch (error) {
    if (refusalOf(error) !== 'absent') throw error;
    await makeFolders(tools.places, path);
    // A link that leads nowhere, or out of the folder.
    if (await lstat(await tools.places.at(path)).catch(() => null)) throw new Refused('denied');
    return { text: '', version: null };
  }
}

async function applySettings(tools: Tools, { path, parser, settings }: ConfigFile, limit: number): Promise<boolean> {
  const { text, version } = await readNow(tools, path);
  const next = setIn(parser, text, settings);
  if (next === null) return false;
  if (next !== text) await save(tools, { path, version }, { bytes: new TextEncoder().encode(next), limit });
  return true;
}

/**
 * Brings configuration files to their settings, one after the other; what keeps one from it keeps no other. A file that
 * is not there is made with its settings alone, and its folders with it.
 */
export async function configure(
  tools: Tools,
  { files }: ProgramInput<'configure'>,
  limit: number,
): Promise<ProgramOutput<'configure'>> {
  const problems: ConfigProblem[] = [];
  for (const file of files)
    try {
      if (!(await applySettings(tools, file, limit))) problems.push({ path: file.path, reason: 'unreadable' });
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === null) throw error;
      problems.push({ path: file.path, reason: PROBLEMS[refusal] ?? 'denied' });
    }
  return { problems };
}
