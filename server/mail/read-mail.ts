import EmailReplyParser from 'email-reply-parser';
import PostalMime, { addressParser, type Email } from 'postal-mime';
import { ANSWER_LINE } from '#server/modules/mailing/render.ts';
import type { IncomingMail } from '#server/modules/ticket-mail/ports.ts';
import { ATTACHMENT_MAX_BYTES } from '#shared/attachments.ts';
import { TICKET_SUBJECT_MAX, TICKET_TEXT_MAX } from '#shared/tickets.ts';

/**
 * Characters of a text in which quotes are looked for: the library's patterns take time by the square of them (180,000
 * took 26 s, this many 0.3 s).
 */
const LOOKED_AT = 20_000;
/** Parts inside parts that a mail may have, and bytes of its headers. */
const LIMITS = { maxNestingDepth: 30, maxHeadersSize: 256 * 1024, maxRfc822NestingDepth: 0, rfc822Attachments: true };
/** Headers that hold addresses a mail went to: as its sender wrote them, and as mail servers delivered it. */
const RECIPIENTS = ['to', 'cc', 'delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to', 'x-forwarded-to'];
const ADDRESS = /[^\s<>,;:"()[\]\\]{1,64}@[^\s<>,;:"()[\]\\]{1,253}/g;
const ADDRESSES_MAX = 100;
/** Files of a mail that are looked at. */
const FILES_MAX = 20;
/** What stands before a quote in languages that the library does not know: Romanian. */
const ROMANIAN_QUOTE = /^[ \t]*(?:În|In|Pe|La) [^\n]{1,300}(?:\n[^\n]{1,300})? a scris:[ \t]*$/m;
const SIGNATURE = /^-- ?$/m;

/**
 * A mail as tickets need it. In: the mail as it came, of whatever bytes. Out: text without controls and of the length
 * of a message; nothing of its HTML but the text. Throws for what is no mail.
 */
export async function readMail(raw: Uint8Array<ArrayBuffer>): Promise<IncomingMail> {
  const mail = await PostalMime.parse(raw, LIMITS);
  const valuesOf = (name: string) => mail.headers.filter(({ key }) => key === name).map(({ value }) => value);
  const text = mail.text ?? (mail.html === undefined ? '' : await textOfHtml(mail.html));
  return {
    messageId: /^<([\x21-\x3b=\x3f-\x7e]{1,250})>$/.exec(mail.messageId?.trim() ?? '')?.[1] ?? null,
    from: senderOf(valuesOf('from')),
    to: RECIPIENTS.flatMap((name) => valuesOf(name).flatMap((value) => value.match(ADDRESS) ?? [])).slice(
      0,
      ADDRESSES_MAX,
    ),
    subject: clean(mail.subject ?? '')
      .replaceAll(/\s+/g, ' ')
      .trim()
      .slice(0, TICKET_SUBJECT_MAX),
    date: mail.date ?? '',
    text: writtenIn(text),
    files: filesOf(mail),
    isAutomatic: isAutomatic(mail, valuesOf),
    authResults: valuesOf('authentication-results').slice(0, 10),
  };
}

/** The files of a mail, without signatures of it. */
function filesOf({ attachments }: Email): IncomingMail['files'] {
  return attachments
    .filter(({ mimeType }) => !/[/-](?:pgp|pkcs7)-signature$/.test(mimeType))
    .slice(0, FILES_MAX)
    .map(({ filename, content }) => {
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
      return { name: clean(filename ?? '') || 'file', bytes: bytes.byteLength <= ATTACHMENT_MAX_BYTES ? bytes : null };
    });
}

/** The one address of the header that names the sender; null where there are several headers or addresses, or a group. */
function senderOf(headers: readonly string[]): string | null {
  const [first, ...others] = headers.flatMap((value) => addressParser(value));
  const address = first?.address ?? '';
  return others.length === 0 && address.replace(ADDRESS, '') === '' && address !== '' ? address : null;
}

/** Whether a program wrote a mail (RFC 3834), or a mail server reports on one. */
function isAutomatic({ from }: Email, valuesOf: (name: string) => string[]): boolean {
  const submitted = valuesOf('auto-submitted').some((value) => !/^\s*no\s*(?:;|$)/i.test(value));
  const bulk = valuesOf('precedence').some((value) => /^\s*(?:bulk|junk|list|auto_reply)\b/i.test(value));
  const marked = ['list-id', 'x-autoreply', 'x-autorespond', 'x-auto-reply', 'x-failed-recipients'].some(
    (name) => valuesOf(name).length > 0,
  );
  const report = valuesOf('content-type').some((value) => /^\s*multipart\/report\b/i.test(value));
  const bounced = valuesOf('return-path').some((value) => /^\s*<>/.test(value));
  const server = /^(?:mailer-daemon|postmaster)@/i.test(from?.address ?? '');
  return submitted || bulk || marked || report || bounced || server;
}

/** What the writer of a mail wrote: without what they answer to and without their signature. */
function writtenIn(text: string): string {
  const whole = clean(text.replaceAll(/\r\n?/g, '\n'));
  const [above = ''] = whole.split(new RegExp(`^.*${ANSWER_LINE[0]} .* ${ANSWER_LINE[1]}.*$`, 'm'), 1);
  const [own = ''] = above.slice(0, LOOKED_AT).split(ROMANIAN_QUOTE, 1);
  const [signed = ''] = new EmailReplyParser().parseReply(own).split(SIGNATURE, 1);
  const written = signed.trim();
  return written.length <= TICKET_TEXT_MAX ? written : `${written.slice(0, TICKET_TEXT_MAX - 1)}…`.toWellFormed();
}

/** A text without what no database keeps and no page shows. */
function clean(text: string): string {
  return text.toWellFormed().replaceAll(/(?![\n\t])\p{Cc}/gu, '');
}

/**
 * The text of HTML. The parser makes text of it where a mail has text as well, so it is given such a mail; what is
 * quoted is left out before.
 */
async function textOfHtml(html: string): Promise<string> {
  const own = new HTMLRewriter()
    .on('blockquote, .gmail_quote, .yahoo_quoted, #appendonsend, head, script, style', {
      element: (each) => void each.remove(),
    })
    .transform(html.slice(0, 10 * LOOKED_AT));
  const edge = crypto.randomUUID();
  const part = (type: string, body: string) =>
    `--${edge}\r\nContent-Type: text/${type}; charset=utf-8\r\n\r\n${body}\r\n`;
  const mail = `Content-Type: multipart/mixed; boundary="${edge}"\r\n\r\n${part('plain', ' ')}${part('html', own)}--${edge}--`;
  return (await PostalMime.parse(mail, LIMITS)).text ?? '';
}
