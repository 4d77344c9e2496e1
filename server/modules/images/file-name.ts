import { IMAGE_NAME_MAX } from '#shared/images.ts';

/** Nobody sees these, but they turn what stands beside them round, or end a line of a header (attacks T42, T54). */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029]/gu;
/** What separates folders, and what other systems take for more than a name. */
const SEPARATORS = /[/\\:*?"<>|]/g;

/**
 * The name of a file as it is shown. In: what a browser or a program called it. Out: its last part without anything
 * unseen, at most `IMAGE_NAME_MAX` characters with its ending; `image` where nothing is left.
 */
export function cleanFileName(sent: string): string {
  const last = sent.slice(0, 1000).replaceAll(UNSEEN, '').split(/[/\\]/).at(-1) ?? '';
  const clean = last
    .normalize('NFC')
    .replaceAll(SEPARATORS, ' ')
    .replaceAll(/\s+/g, ' ')
    .replace(/^[. ]+/, '')
    .trim();
  if (clean === '') return 'image';
  const characters = Array.from(clean);
  if (characters.length <= IMAGE_NAME_MAX) return clean;
  const ending = /\.[A-Za-z0-9]{1,5}$/.exec(clean)?.[0] ?? '';
  return characters.slice(0, IMAGE_NAME_MAX - ending.length).join('') + ending;
}
