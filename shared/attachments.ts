/** Files of messages in tickets (behaviour 7.3): so many a message, each of at most so many bytes. */
export const ATTACHMENTS_MAX = 5;
export const ATTACHMENT_MAX_BYTES = 5 * 1024 * 1024;
/** Bytes of all files that a user has in tickets; staff have no such bound. */
export const ATTACHMENTS_QUOTA_BYTES = 250 * 1024 * 1024;
/** Content type of an upload; the file's own bytes say what it is. */
export const ATTACHMENT_UPLOAD_TYPE = 'application/octet-stream';
/** What browsers offer to choose from. */
export const ATTACHMENT_ACCEPT = 'image/png,image/jpeg,image/webp,text/*,.log,.json,.yml,.yaml,.properties,.toml,.cfg';

/** What a picture is kept as, and a text. */
export const ATTACHMENT_PICTURE = 'image/webp';
export const ATTACHMENT_TEXT = 'text/plain; charset=utf-8';

const NAME_MAX = 100;
/** Ends that a text may keep: nothing that a click on the saved file would run. */
const TEXT_ENDS = /\.(?:txt|log|md|json|json5|ya?ml|properties|toml|cfg|conf|ini|csv|tsv|diff|patch|mcmeta)$/i;

/**
 * The name of a file as it is kept and shown (attacks T43): the last part of a path, without signs that are not seen
 * (which turn the order of the others around) and without what file systems do not take. It ends as what the file is: a
 * picture as `.webp`, a text as one of texts. In: any text. Out: 1 to 100 characters.
 */
export function toAttachmentName(given: string, kind: 'picture' | 'text'): string {
  const last = given.normalize('NFC').split(/[/\\]/).at(-1) ?? '';
  const shown = last
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu, '')
    .replaceAll(/[<>:"|?*]/g, '_')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[. ]+|[. ]+$/g, '');
  const end = kind === 'picture' ? '.webp' : (TEXT_ENDS.exec(shown)?.[0] ?? '.txt');
  const stem = kind === 'picture' ? shown.replace(/\.[a-z0-9]{1,5}$/i, '') : shown.replace(TEXT_ENDS, '');
  const kept = [...stem]
    .slice(0, NAME_MAX - end.length)
    .join('')
    .trim();
  return `${kept === '' ? kind : kept}${end}`;
}
