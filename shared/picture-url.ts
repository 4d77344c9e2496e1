/** Whether a text is the id of a picture, as settings hold it: 32 hexadecimal digits of what it is made of. */
export function isPictureId(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

/** The address of a form of a picture; what it shows never changes. */
export function pictureUrl(id: string, name: string): string {
  return `/api/system/pictures/${id}/${name}`;
}
