/** The text of the first tag of a name in an answer of S3; null where there is none. */
export function tagText(xml: string, name: string): string | null {
  const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return found === undefined ? null : plain(found);
}

/** The objects of a list: names and sizes. */
export function objectsIn(xml: string): { key: string; bytes: number }[] {
  return [...xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)].flatMap(([, entry = '']) => {
    const key = tagText(entry, 'Key');
    const bytes = Number(tagText(entry, 'Size') ?? NaN);
    return key !== null && Number.isSafeInteger(bytes) ? [{ key, bytes }] : [];
  });
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const plain = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|apos);/g, (whole, name: string) => ENTITIES[name] ?? whole);
