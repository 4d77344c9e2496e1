import type { ImapFlow, SearchObject } from 'imapflow';
import { MailboxFault, type MailboxConfig, type OpenMailbox } from '#server/modules/ticket-mail/ports.ts';
import { isLoopbackName } from '#shared/loopback.ts';

/** Time limits in ms: for a connection, the server's first words, and silence in between. */
const LIMITS = { connectMs: 10_000, greetingMs: 10_000, socketMs: 20_000 };
/** Largest answer of the server that is taken, in bytes: a mail of the largest size, and what stands around it. */
const ANSWER_MAX = 27 * 1024 * 1024;

/**
 * Opens a folder over IMAP. In: how it is reached; for tests shorter time limits, and the authority (PEM) that is
 * trusted instead of the known ones. Throws MailboxFault, also for a password that would cross the network in clear.
 */
export async function openImap(
  { host, port, security, username, password, folder }: MailboxConfig,
  { ca, ...limits }: typeof LIMITS & { readonly ca?: string } = LIMITS,
): Promise<OpenMailbox> {
  if (security === 'none' && !isLoopbackName(host))
    throw new MailboxFault('refused', 'a password must not be sent without encryption to another machine');
  // A megabyte that only an installation with a mailbox needs.
  const { ImapFlow } = await import('imapflow');
  const client = new ImapFlow({
    host,
    port,
    secure: security === 'tls',
    ...(security === 'tls' ? {} : { doSTARTTLS: security === 'starttls' }),
    ...(ca === undefined ? {} : { tls: { ca } }),
    auth: { user: username, pass: password },
    logger: false,
    disableAutoIdle: true,
    disableCompression: true,
    connectionTimeout: limits.connectMs,
    greetingTimeout: limits.greetingMs,
    socketTimeout: limits.socketMs,
    maxLiteralSize: ANSWER_MAX,
    maxResponseSize: 2 * ANSWER_MAX,
  });
  // Without a listener a broken connection would end the process; whatever runs fails by itself.
  client.on('error', () => undefined);
  await within(client, () => client.connect());
  const opened = await within(client, () => client.mailboxOpen(folder), 'folder');
  return {
    ...folderOf(client),
    uidValidity: String(opened.uidValidity),
    mails: opened.exists,
    lastUid: opened.uidNext - 1,
  };
}

/** The mails of the folder that is open. */
function folderOf(client: ImapFlow): Pick<OpenMailbox, 'list' | 'get' | 'markRead' | 'close'> {
  const search = (query: SearchObject) => within(client, () => client.search(query, { uid: true }));
  return {
    async list(after, sinceMs, limit) {
      const found = await search(after === null ? { since: new Date(sinceMs) } : { uid: `${after + 1}:*` });
      // `*` is the newest mail, even where that is an older one.
      const uids = (found || []).filter((uid) => uid > (after ?? 0)).toSorted((a, b) => a - b);
      const some = [...new Set(uids)].slice(0, limit);
      if (some.length === 0) return [];
      const mails = await within(client, () => client.fetchAll(some.join(','), { size: true }, { uid: true }));
      const sizes = new Map(mails.map(({ uid, size }) => [uid, size ?? 0]));
      return some.map((uid) => ({ uid, size: sizes.get(uid) ?? 0 }));
    },
    async get(uid) {
      const mail = await within(client, () => client.fetchOne(String(uid), { source: true }, { uid: true }));
      return mail && mail.source ? new Uint8Array(mail.source) : null;
    },
    async markRead(uid) {
      await within(client, () => client.messageFlagsAdd(String(uid), ['\\Seen'], { uid: true }));
    },
    // Nobody waits for the server's goodbye.
    close: () => Promise.resolve(client.close()),
  };
}

/** Does something with the server. `no`: what a plain no of it means. Throws MailboxFault, and closes the connection. */
async function within<T>(client: ImapFlow, work: () => Promise<T>, no: 'folder' | 'silent' = 'silent'): Promise<T> {
  try {
    return await work();
  } catch (error) {
    client.close();
    const { authenticationFailed, responseText, responseStatus } = Object(error) as Record<string, unknown>;
    const said = String(responseText ?? (error instanceof Error ? error.message : error));
    const text = said.replaceAll(/\p{Cc}+/gu, ' ').slice(0, 300);
    if (authenticationFailed === true) throw new MailboxFault('refused', text);
    throw new MailboxFault(responseStatus === 'NO' || responseStatus === 'BAD' ? no : 'silent', text);
  }
}
