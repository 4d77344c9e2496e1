import type { MailBlock } from '#shared/mails.ts';

/** The parts of a mail, as plain text. */
export interface MailParts {
  readonly lang: string;
  readonly subject: string;
  readonly app: string;
  /** The content, with its variables filled in. */
  readonly blocks: readonly MailBlock[];
  /** Where a button leads. */
  readonly url: string;
  /** What stands above the address of a button, for mail programs that show none; '' where no address is repeated. */
  readonly fallback: string;
  readonly footer: string;
  readonly home: string;
  /** The line above which an answer is written; '' where none comes in. */
  readonly answerLine: string;
  /** The link by which no more of the kind come; null: there is none. */
  readonly leave: { readonly label: string; readonly url: string } | null;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as HTML: nothing in it is markup (attacks T29, T41, T47). */
function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}

/**
 * What mail programs that know dark mode make of the layout. The colours of the elements are the light ones, for those
 * that know no style sheets.
 */
export const DARK_STYLE = `.m-page{background:#12151a!important;color:#e6e9ee!important}
.m-card{background:#1c2026!important}
.m-text,.m-brand,.m-head,.m-value{color:#e6e9ee!important}
.m-muted{color:#a6afbb!important}
.m-link{color:#63d3ad!important}
.m-box{background:#262b33!important}
.m-line{border-color:#363d47!important}`;
/** What they make of it on a phone. */
const PHONE_STYLE = '.m-pad{padding:20px 16px!important}.m-btn a{display:block!important;text-align:center!important}';
export const LAYOUT_STYLE = `:root{color-scheme:light dark}@media(max-width:480px){${PHONE_STYLE}}`;

const P = 'margin:0 0 16px';
const lines = (text: string): string => escapeHtml(text).replaceAll('\n', '<br>');

/** A block as HTML. In: the block, and where its button leads. */
function renderBlock({ kind, text }: MailBlock, url: string): string {
  switch (kind) {
    case 'heading':
      return `<h1 class="m-head" style="margin:0 0 16px;font-size:20px;line-height:1.3;color:#1b2230">${lines(text)}</h1>`;
    case 'text':
      return text
        .split(/\n{2,}/)
        .map((paragraph) => `<p style="${P}">${lines(paragraph)}</p>`)
        .join('\n');
    case 'facts':
      return `<table role="presentation" class="m-box" width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 16px;background:#f1f3f6;border-radius:8px">${text
        .split('\n')
        .map(renderFact)
        .join('')}</table>`;
    case 'code':
      return `<p class="m-box" style="margin:0 0 16px;padding:14px;border-radius:8px;background:#f1f3f6;font-family:ui-monospace,Consolas,monospace;font-size:22px;letter-spacing:3px;text-align:center">${lines(text)}</p>`;
    case 'button':
      return `<table role="presentation" cellpadding="0" cellspacing="0" style="margin:8px 0 24px"><tr><td class="m-btn" bgcolor="#0b6e52" style="border-radius:8px;background:#0b6e52"><a href="${escapeHtml(url)}" style="display:inline-block;padding:12px 22px;border-radius:8px;color:#ffffff;font-weight:600;text-decoration:none">${lines(text)}</a></td></tr></table>`;
    case 'note':
      return `<p class="m-muted" style="margin:0 0 16px;font-size:13px;color:#5a6475">${lines(text)}</p>`;
    case 'divider':
      return '<hr class="m-line" style="margin:8px 0 24px;border:0;border-top:1px solid #dfe3e8">';
  }
}

/** A line `label: value` as a row of a table. */
function renderFact(line: string): string {
  const [, label, value] = /^([^:]*?)\s?:\s*(.*)$/.exec(line) ?? [];
  const cell = 'padding:7px 14px;font-size:14px;vertical-align:top';
  if (label === undefined || value === undefined)
    return `<tr><td class="m-value" colspan="2" style="${cell}">${escapeHtml(line)}</td></tr>`;
  return `<tr><td class="m-muted" style="${cell};color:#5a6475">${escapeHtml(label)}</td><td class="m-value" align="right" style="${cell};font-weight:600;word-break:break-word">${escapeHtml(value)}</td></tr>`;
}

/**
 * The one HTML layout of all mails. Styles stand at the elements and the frame is a table, because mail programs know
 * little else; what some know beside that is in the head. Nothing is loaded from outside.
 */
export function renderLayout(parts: MailParts): string {
  const e = escapeHtml;
  const { url, fallback, blocks } = parts;
  const address = `<a class="m-link" href="${e(url)}" style="color:#0b6e52">${e(url)}</a>`;
  const repeated =
    fallback === '' || !blocks.some(({ kind }) => kind === 'button')
      ? ''
      : `<p class="m-muted" style="margin:0 0 4px;font-size:13px;color:#5a6475">${e(fallback)}</p>
<p style="margin:0;font-size:13px;word-break:break-all">${address}</p>`;
  const leave = parts.leave
    ? `<br><a class="m-link" href="${e(parts.leave.url)}" style="color:#0b6e52">${e(parts.leave.label)}</a>`
    : '';
  const answerLine =
    parts.answerLine === ''
      ? ''
      : `<p class="m-muted" align="center" style="margin:0;padding:12px 12px 0;font-size:12px;color:#5a6475">${e(parts.answerLine)}</p>\n`;
  return `<!doctype html>
<html lang="${e(parts.lang)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>${e(parts.subject)}</title>
<style>${LAYOUT_STYLE}@media(prefers-color-scheme:dark){${DARK_STYLE}}</style></head>
<body class="m-page" style="margin:0;padding:0;background:#eef1f5;color:#1b2230;font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;font-size:15px;line-height:1.5">
${answerLine}<table role="presentation" class="m-page" width="100%" cellpadding="0" cellspacing="0" style="background:#eef1f5"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="m-card" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;background:#ffffff;border-radius:14px;text-align:left"><tr><td class="m-pad m-text" style="padding:28px">
<p style="margin:0 0 20px;font-weight:600;font-size:17px"><a class="m-brand" href="${e(parts.home)}" style="color:#1b2230;text-decoration:none">${e(parts.app)}</a></p>
${blocks.map((block) => renderBlock(block, url)).join('\n')}
${repeated}
</td></tr></table>
<p class="m-muted" style="margin:16px 0 0;font-size:12px;color:#5a6475">${lines(parts.footer)}${leave}</p>
</td></tr></table>
</body>
</html>
`;
}

/** The same as plain text, for mail programs that show nothing else. */
export function renderText({ blocks, url, footer, home, leave, answerLine }: MailParts): string {
  const written = blocks.map(({ kind, text }) =>
    kind === 'button' ? `${text}:\n${url}` : kind === 'divider' ? '* * *' : text,
  );
  const way = leave ? `\n\n${leave.label}:\n${leave.url}` : '';
  const above = answerLine === '' ? [] : [answerLine];
  return [...above, ...written, `--\n${footer}\n${home}${way}`].join('\n\n');
}
