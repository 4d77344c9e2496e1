/** The parts of a mail, as plain text. */
interface MailParts {
  readonly lang: string;
  readonly subject: string;
  readonly app: string;
  readonly greeting: string;
  /** Paragraphs are parted by an empty line. */
  readonly body: string;
  readonly button: string;
  readonly url: string;
  readonly fallback: string;
  readonly footer: string;
  readonly home: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as HTML: nothing in it is markup (attacks T29, T41). */
function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}

/**
 * The one HTML layout of all mails. Styles stand at the elements and the frame is a table, because mail programs know
 * little else; nothing is loaded from outside.
 */
export function renderLayout(parts: MailParts): string {
  const e = escapeHtml;
  const paragraphs = parts.body
    .split(/\n{2,}/)
    .map((paragraph) => `<p style="margin:0 0 16px">${e(paragraph).replaceAll('\n', '<br>')}</p>`)
    .join('\n');
  return `<!doctype html>
<html lang="${e(parts.lang)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${e(parts.subject)}</title></head>
<body style="margin:0;padding:0;background:#eef1f5;color:#1b2230;font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;font-size:15px;line-height:1.5">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;background:#ffffff;border-radius:14px;text-align:left"><tr><td style="padding:28px">
<p style="margin:0 0 20px;font-weight:600;font-size:17px"><a href="${e(parts.home)}" style="color:#1b2230;text-decoration:none">${e(parts.app)}</a></p>
<p style="margin:0 0 16px">${e(parts.greeting)}</p>
${paragraphs}
<p style="margin:24px 0"><a href="${e(parts.url)}" style="display:inline-block;padding:11px 20px;border-radius:8px;background:#0b6e52;color:#ffffff;font-weight:600;text-decoration:none">${e(parts.button)}</a></p>
<p style="margin:0 0 4px;font-size:13px;color:#5a6475">${e(parts.fallback)}</p>
<p style="margin:0;font-size:13px;word-break:break-all"><a href="${e(parts.url)}" style="color:#0b6e52">${e(parts.url)}</a></p>
</td></tr></table>
<p style="margin:16px 0 0;font-size:12px;color:#5a6475">${e(parts.footer)}</p>
</td></tr></table>
</body>
</html>
`;
}
