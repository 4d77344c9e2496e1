import { href } from '#shared/routes/href.ts';
import { iso } from '#shared/time.ts';

interface Entry {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly html: string;
  readonly author: string | null;
  readonly tags: readonly string[];
  readonly publishMs: number;
  readonly updatedMs: number;
}
interface Feed {
  /** Name of the installation. */
  readonly name: string;
  /** Public address of the installation, without a slash at its end. */
  readonly base: string;
  readonly locale: string;
  /** The newest first. */
  readonly entries: readonly Entry[];
}

/** The signs that XML keeps for itself; it knows no control characters at all. */
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? '');

/** An Atom feed (RFC 4287) of announcements. Their HTML is text in it, which readers sanitise themselves as well. */
export function toAtom({ name, base, locale, entries }: Feed): string {
  const at = (path: string) => escape(`${base}${path}`);
  const updatedMs = Math.max(0, ...entries.map((entry) => entry.updatedMs));
  // Addresses of pictures are relative in pages.
  const absolute = (html: string) => html.replaceAll('src="/api/', `src="${escape(base)}/api/`);
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${locale}">`,
    `<id>${at(href('news.list'))}</id>`,
    `<title>${escape(name)}</title>`,
    `<updated>${iso(updatedMs)}</updated>`,
    `<author><name>${escape(name)}</name></author>`,
    `<link rel="alternate" type="text/html" href="${at(href('news.list'))}"/>`,
    `<link rel="self" type="application/atom+xml" href="${at('/api/news/feed.atom')}"/>`,
    ...entries.flatMap(({ id, title, summary, html, author, tags, publishMs, updatedMs: changedMs }) => [
      '<entry>',
      `<id>urn:uuid:${id}</id>`,
      `<title>${escape(title)}</title>`,
      `<published>${iso(publishMs)}</published>`,
      `<updated>${iso(Math.max(publishMs, changedMs))}</updated>`,
      `<link rel="alternate" type="text/html" href="${at(href('news.view', { id }))}"/>`,
      ...(author === null ? [] : [`<author><name>${escape(author)}</name></author>`]),
      ...tags.map((tag) => `<category term="${escape(tag)}"/>`),
      ...(summary === '' ? [] : [`<summary>${escape(summary)}</summary>`]),
      `<content type="html">${escape(absolute(html))}</content>`,
      '</entry>',
    ]),
    '</feed>',
    '',
  ].join('\n');
}
