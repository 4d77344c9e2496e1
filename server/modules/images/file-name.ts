import { IMAGE_ENDINGS, IMAGE_NAME_MAX, type ImageType } from '#shared/images.ts';

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

/**
 * The name of an image in the archive of all images of its user. In: its name, its type, and its place there from 0 on,
 * in the order of time. Out: a name that nothing else has there, with the ending of what it is.
 */
export function archivedName(name: string, type: ImageType, at: number): string {
  const ending = `.${IMAGE_ENDINGS[type]}`;
  const whole = name.toLowerCase().endsWith(ending) ? name : name + ending;
  return `${String(at + 1).padStart(5, '0')} ${whole}`;
}
