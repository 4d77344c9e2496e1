import { PICTURE_FORMS, type PictureKind } from './pictures.ts';

/** Whether a text is the id of a picture, as settings hold it: 32 hexadecimal digits of what it is made of. */
export function isPictureId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

/** The address of a form of a picture; what it shows never changes. */
export function pictureUrl(id: string, name: string): string {
  return `/api/system/pictures/${id}/${name}`;
}

/** The `srcset` of a picture: every form that browsers show (WebP), by the width that it has at most. */
export function pictureSrcSet(id: string, kind: PictureKind): string {
  return PICTURE_FORMS[kind]
    .filter(({ type }) => type === 'image/webp')
    .map(({ name, width }) => `${pictureUrl(id, name)} ${width}w`)
    .join(', ');
}

/** The id and form of a picture of the installation that an address leads to; null where it leads elsewhere. */
export function parsePictureUrl(address: string): { readonly id: string; readonly name: string } | null {
  const [, id, name] = /^\/api\/system\/pictures\/([0-9a-f]{32})\/([a-z0-9]{1,20})$/.exec(address) ?? [];
  return id !== undefined && name !== undefined ? { id, name } : null;
}

/** Ids of the pictures of the installation that a Markdown text may name. */
export function picturesIn(markdown: string): string[] {
  return [...new Set([...markdown.matchAll(/\/api\/system\/pictures\/([0-9a-f]{32})\//g)].map(([, id = '']) => id))];
}
