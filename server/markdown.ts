import { parsePictureUrl, pictureUrl } from '#shared/picture-url.ts';
import { PICTURE_FORMS } from '#shared/pictures.ts';

/** Pixels of each form of a picture, by its name. */
type FormSizes = Readonly<Record<string, { readonly width: number; readonly height: number }>>;
/** The same of some pictures, by id. */
type PictureSizes = ReadonlyMap<string, FormSizes>;

/** A text of the host's as HTML, and its sections for a table of contents. */
interface Rendered {
  readonly html: string;
  readonly sections: readonly { readonly id: string; readonly title: string }[];
}

/** Quotes and lists inside each other: what is deeper than twenty takes long and says nothing (attacks T52). */
const DEEP = /^((?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){20})(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)]))+/gm;

/**
 * Renders Markdown to HTML that may stand in a page (attacks T41). Nothing of the source gets through but text: every
 * tag is written here, HTML in the source is shown as the text that it is, links lead to http, https and mail addresses
 * only, and pictures are their descriptions. In: Markdown. Never throws.
 */
export function renderMarkdown(source: string): Rendered {
  return render(source, { withHeadings: true });
}

/**
 * Renders a message of a conversation, of which a page holds many: the same, but that headings are paragraphs in strong
 * letters, so that they neither name places twice nor stand in the outline of the page. In: Markdown. Never throws.
 */
export function renderMessage(source: string): string {
  return render(source, {}).html;
}

/**
 * Renders a text of staff's, of which a page holds one: the same with its headings, and with pictures of the
 * installation, which are the only ones that a page of it loads. In: Markdown, and the pixels of the pictures that it
 * names, so that the page has their place before they come; without them they are shown as they come. Never throws.
 */
export function renderArticle(source: string, pictures: PictureSizes = new Map()): string {
  return render(source, { withHeadings: true, pictures }).html;
}

interface Options {
  readonly withHeadings?: boolean;
  /** Absent: pictures are their descriptions. */
  readonly pictures?: PictureSizes;
}

/** The attributes with which a browser takes the form that fits, and keeps its place free. In: pixels of the forms. */
function sizesOf(id: string, forms: FormSizes | undefined): string {
  const shown = PICTURE_FORMS.announcement.flatMap(({ name, type }) => {
    const size = type === 'image/webp' ? forms?.[name] : undefined;
    return size ? [{ name, ...size }] : [];
  });
  const [whole] = shown;
  if (!whole) return '';
  const set = shown.map(({ name, width }) => `${pictureUrl(id, name)} ${width}w`).join(', ');
  return ` srcset="${set}" sizes="(max-width: 767px) 92vw, 46rem" width="${whole.width}" height="${whole.height}"`;
}

function render(source: string, { withHeadings = false, pictures }: Options): Rendered {
  const sections: { id: string; title: string }[] = [];
  const inside = (tag: string) => (children: string) => `<${tag}>${children}</${tag}>`;
  const html = Bun.markdown.render(
    source.replaceAll('\r\n', '\n').replaceAll(DEEP, '$1'),
    {
      text: escape,
      html: (children) => `<p>${children}</p>`,
      heading: (children, { level }) => {
        if (!withHeadings) return `<p><strong>${children}</strong></p>`;
        // The title of the page is its only heading of level 1.
        if (level > 2) return `<h${level}>${children}</h${level}>`;
        const id = `section-${sections.length + 1}`;
        sections.push({ id, title: plain(children) });
        return `<h2 id="${id}">${children}</h2>`;
      },
      paragraph: inside('p'),
      blockquote: inside('blockquote'),
      code: (children) => `<pre><code>${children}</code></pre>`,
      codespan: inside('code'),
      list: (children, { ordered, start }) =>
        ordered
          ? `<ol${start !== undefined && start !== 1 ? ` start="${Math.trunc(start)}"` : ''}>${children}</ol>`
          : `<ul>${children}</ul>`,
      listItem: inside('li'),
      hr: () => '<hr>',
      table: inside('table'),
      thead: inside('thead'),
      tbody: inside('tbody'),
      tr: inside('tr'),
      th: inside('th'),
      td: inside('td'),
      strong: inside('strong'),
      emphasis: inside('em'),
      strikethrough: inside('del'),
      link: (children, { href }) =>
        isSafe(href) ? `<a href="${escape(href)}" rel="noopener noreferrer">${children}</a>` : children,
      image: (children, { src }) => {
        const picture = pictures ? parsePictureUrl(src) : null;
        if (picture === null) return children;
        const { id, name } = picture;
        return `<img src="${pictureUrl(id, name)}"${sizesOf(id, pictures?.get(id))} alt="${escape(plain(children))}" loading="lazy">`;
      },
    },
    { noHtmlBlocks: true, noHtmlSpans: true },
  );
  return { html, sections };
}

/**
 * Renders Markdown as plain text, for mails: without its marks, with the addresses of links behind their words. In:
 * Markdown. Never throws.
 */
export function toPlainText(source: string): string {
  const block = (children: string) => `${children.trim()}\n\n`;
  const same = (children: string) => children;
  const text = Bun.markdown.render(
    source.replaceAll('\r\n', '\n').replaceAll(DEEP, '$1'),
    {
      text: same,
      html: block,
      heading: block,
      paragraph: block,
      blockquote: (children) => block(children.trim().replaceAll(/^/gm, '> ')),
      code: block,
      codespan: same,
      list: (children, { ordered, start }) => {
        let at = (start ?? 1) - 1;
        const items = children.split(ITEM).slice(1);
        const marked = items.map(
          (item) => `${ordered ? `${(at += 1)}.` : '-'} ${item.trim().replaceAll('\n', '\n  ')}`,
        );
        return `\n${marked.join('\n')}\n\n`;
      },
      listItem: (children) => ITEM + children.replaceAll(ITEM, ''),
      hr: () => '* * *\n\n',
      table: block,
      thead: same,
      tbody: same,
      tr: (children) => `${children.replace(/ \| $/, '')}\n`,
      th: (children) => `${children} | `,
      td: (children) => `${children} | `,
      strong: same,
      emphasis: same,
      strikethrough: same,
      link: (children, { href }) => (!isSafe(href) || children === href ? children : `${children} (${href})`),
      image: same,
    },
    { noHtmlBlocks: true, noHtmlSpans: true },
  );
  return text.replaceAll(/\n{3,}/g, '\n\n').trim();
}
/** What stands before each item of a list until its list is written: no text has it. */
const ITEM = '\u0000';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (found) => ENTITIES[found] ?? '');
}

/** The words of a piece of our own HTML. */
function plain(html: string): string {
  const names = Object.entries(ENTITIES);
  return html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => names.find(([, name]) => name === entity)?.[0] ?? entity);
}

/** Only complete addresses: what a browser reads into `href` must be what was checked. */
function isSafe(href: string): boolean {
  return (
    /^(?:https?:\/\/|mailto:)[^\s\p{Cc}]+$/iu.test(href) &&
    ['http:', 'https:', 'mailto:'].includes(URL.parse(href)?.protocol ?? '')
  );
}
