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
  return {
    async send(mail) {
      // Nodemailer reads a plain text as a list of addresses; an object and an envelope of our own leave it nothing to
      // read (services, smtp).
      if (!isPlainAddress(mail.to)) return { kind: 'never', error: 'the address is not one' };
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
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
        return { kind: 'sent' };
      } catch (error) {
        return outcomeOf(error);
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
 * By the server's own number, not by the library's code: 5yz is a no, everything else (4yz, no connection, a cut line)
 * may pass later.
 */
function outcomeOf(error: unknown): MailOutcome {
  const code = typeof error === 'object' && error !== null && 'responseCode' in error ? Number(error.responseCode) : 0;
  const text = error instanceof Error ? error.message : String(error);
  return {
    kind: code >= 500 && code < 600 ? 'never' : 'later',
    error: text.replaceAll(/[\p{Cc}]+/gu, ' ').slice(0, 500),
  };
}
