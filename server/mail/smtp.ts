import { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import type { MailConfig, MailOutcome, MailTransport } from '#server/modules/mailing/ports.ts';
import { isLoopbackName } from '#shared/loopback.ts';

/** Time limits in ms (services, smtp). */
const CONNECT_MS = 10_000;
const GREETING_MS = 10_000;
const SOCKET_MS = 30_000;
/** Connections kept open, and mails sent over each before a new one is made. */
const POOL = { maxConnections: 2, maxMessages: 100 } as const;

interface Timeouts {
  readonly connectMs: number;
  readonly greetingMs: number;
  readonly socketMs: number;
}

/**
 * The way out over SMTP. In: how the server is reached; shorter time limits for tests. Throws where a password would
 * cross the network in clear.
 */
export function createSmtpTransport(
  config: MailConfig,
  limits: Timeouts = { connectMs: CONNECT_MS, greetingMs: GREETING_MS, socketMs: SOCKET_MS },
): MailTransport {
  const { host, port, security, username, password } = config;
  if (security === 'none' && password !== null && !isLoopbackName(host)) {
    throw new Error('a mail password must not be sent without encryption to another machine');
  }
  const transporter = createTransport({
    pool: true,
    ...POOL,
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(username !== null ? { auth: { user: username, pass: password ?? '' } } : {}),
    connectionTimeout: limits.connectMs,
    greetingTimeout: limits.greetingMs,
    socketTimeout: limits.socketMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  /** Of the mails on their way: what happens before the first byte of one leaves. */
  const beforeBody = new Map<string, () => Promise<void>>();
  /** The mails whose last byte was handed to the connection: from there on the server may have taken them. */
  const handedOver = new Set<string>();
  // The message is read only once the server has said that it may come.
  transporter.use('stream', (mail, done) => {
    const id = mail.data.messageId ?? '';
    const original = mail.message.createReadStream.bind(mail.message);
    mail.message.createReadStream = (options) =>
      Readable.from(
        (async function* () {
          await beforeBody.get(id)?.();
          yield* original(options);
          handedOver.add(id);
        })(),
        { objectMode: false },
      );
    done();
  });
  return {
    async send(mail, begin) {
      // Nodemailer reads a plain text as a list of addresses; an object and an envelope of our own leave it nothing to
      // read (services, smtp).
      if (!isPlainAddress(mail.to))
        return { kind: 'never', error: 'the address is not one', code: null, bounced: true };
      beforeBody.set(mail.messageId, begin);
      try {
        await transporter.sendMail({
          envelope: { from: config.fromAddress, to: [mail.to] },
          from: { name: config.fromName, address: config.fromAddress },
          to: { name: '', address: mail.to },
          subject: mail.subject,
          text: mail.text,
          html: mail.html,
          messageId: mail.messageId,
          date: new Date(mail.createdMs),
          headers: { 'Auto-Submitted': 'auto-generated', ...mail.headers },
        });
        return { kind: 'sent' };
      } catch (error) {
        return outcomeOf(error, handedOver.has(mail.messageId));
      } finally {
        beforeBody.delete(mail.messageId);
        handedOver.delete(mail.messageId);
      }
    },
    close: () => transporter.close(),
  };
}

/** One @, no spaces, controls, commas, brackets or quotes, at most 254 characters. */
function isPlainAddress(address: string): boolean {
  return address.length <= 254 && /^[^\s@<>,;:"()[\]\\\p{Cc}]+@[^\s@<>,;:"()[\]\\\p{Cc}]+$/u.test(address);
}

/**
 * By the server's own number, not by the library's code: 5yz is a no, 4yz may pass later, and so may what never got to
 * the server whole. Without an answer to a whole mail nobody knows: another try could be a second copy.
 */
function outcomeOf(error: unknown, isHandedOver: boolean): MailOutcome {
  const { responseCode, command } = Object(error) as { responseCode?: unknown; command?: unknown };
  const number = Number(responseCode ?? 0);
  const code = number >= 400 && number < 600 ? number : null;
  const text = (error instanceof Error ? error.message : String(error)).replaceAll(/[\p{Cc}]+/gu, ' ').slice(0, 500);
  if (code === null) return { kind: isHandedOver ? 'unknown' : 'later', error: text, code };
  if (code < 500) return { kind: 'later', error: text, code };
  return { kind: 'never', error: text, code, bounced: command === 'RCPT TO' && !POLICY.test(text) };
}

/** Enhanced codes of a server that does not want us, whoever the mail is for (RFC 3463: security and policy). */
const POLICY = /\b5\.7\.\d{1,3}\b/;
