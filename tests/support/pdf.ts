import { inflateSync } from 'node:zlib';

/**
 * The text of a PDF, read back through its fonts' own tables of characters, as a reader's search does. A line for each
 * piece that is drawn.
 */
export function pdfText(bytes: Uint8Array): string[] {
  const file = Buffer.from(bytes).toString('latin1');
  const objects = new Map(
    [...file.matchAll(/(\d+) 0 obj\n([\s\S]*?)\nendobj/g)].map(([, id, body]) => [Number(id), body ?? '']),
  );
  const stream = (id: number): string => {
    const body = objects.get(id) ?? '';
    const start = body.indexOf('stream\n') + 'stream\n'.length;
    const raw = Buffer.from(body.slice(start, body.lastIndexOf('\nendstream')), 'latin1');
    return body.includes('/FlateDecode') ? inflateSync(raw).toString('latin1') : raw.toString('latin1');
  };
  const link = (body: string, name: string): number => Number(new RegExp(`/${name} (\\d+) 0 R`).exec(body)?.[1] ?? -1);
  const fonts = new Map<string, ReadonlyMap<string, string>>();
  for (const body of objects.values()) {
    for (const [, name, id] of /\/Font <<([\s\S]*?)>>/.exec(body)?.[1]?.matchAll(/\/(\w+) (\d+) 0 R/g) ?? []) {
      const font = objects.get(Number(id)) ?? '';
      fonts.set(name ?? '', charactersOf(stream(link(font, 'ToUnicode'))));
    }
  }
  const pages = [...objects.values()].filter((body) => /\/Type \/Page\b/.test(body));
  return pages.flatMap((page) => drawn(stream(link(page, 'Contents')), fonts));
}

/** Code → character, from the ranges of a font's table. */
function charactersOf(table: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, from, , list] of table.matchAll(/<([0-9a-f]{4})> <([0-9a-f]{4})> \[([^\]]*)\]/gi)) {
    const characters = [...(list ?? '').matchAll(/<([0-9a-f ]+)>/gi)].map(([, hex]) =>
      Buffer.from((hex ?? '').replaceAll(' ', ''), 'hex')
        .swap16()
        .toString('utf16le'),
    );
    for (const [index, character] of characters.entries())
      found.set((Number.parseInt(from ?? '', 16) + index).toString(16).padStart(4, '0'), character);
  }
  return found;
}

function drawn(content: string, fonts: ReadonlyMap<string, ReadonlyMap<string, string>>): string[] {
  const lines: string[] = [];
  let font: ReadonlyMap<string, string> | undefined;
  for (const [, name, array] of content.matchAll(/\/(\w+) [\d.]+ Tf|\[([^\]]*)\] TJ/g)) {
    if (name !== undefined) font = fonts.get(name);
    if (array === undefined) continue;
    const codes = [...array.matchAll(/<([0-9a-f]+)>/gi)].flatMap(([, hex]) => (hex ?? '').match(/.{4}/g) ?? []);
    lines.push(codes.map((code) => font?.get(code.toLowerCase()) ?? '\uFFFD').join(''));
  }
  return lines;
}
