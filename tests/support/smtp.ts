import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import type { MailConfig } from '#server/modules/mailing/index.ts';

/**
 * What the mail server does with one delivery. `cut`: takes the mail and hangs up before it says so; `hang`: never
 * answers; `late`: takes the mail, and answers once the client has hung up.
 */
export type Behaviour =
  'take' | 'cut' | 'hang' | 'late' | { readonly at: 'rcpt' | 'data'; readonly code: number; readonly text: string };

export interface Delivered {
  readonly from: string;
  readonly to: readonly string[];
  readonly mail: Email;
}
export interface SmtpStandIn {
  readonly config: MailConfig;
  readonly delivered: Delivered[];
  /** What happens to the next deliveries, in order; after them all are taken. */
  readonly next: Behaviour[];
  /** Recipients named by clients, also of refused deliveries. */
  readonly asked: string[];
  close(): Promise<void>;
}

/** A real SMTP server on a free port of this machine, that keeps what it takes. */
export async function openSmtp(options: SMTPServerOptions = {}): Promise<SmtpStandIn> {
  const delivered: Delivered[] = [];
  const next: Behaviour[] = [];
  const asked: string[] = [];
  const held: (() => void)[] = [];
  /** Answers to clients that are still there, by session. */
  const late = new Map<string, () => Promise<void>>();
  const refusal = (step: 'rcpt' | 'data') => {
    const [first] = next;
    if (typeof first !== 'object' || first.at !== step) return null;
    next.shift();
    return Object.assign(new Error(first.text), { responseCode: first.code });
  };
  const keep = async (raw: Buffer, { envelope }: SMTPServerSession, end: () => void) => {
    const from = envelope.mailFrom;
    delivered.push({
      from: from ? from.address : '',
      to: envelope.rcptTo.map(({ address }) => address),
      mail: await PostalMime.parse(raw),
    });
    end();
  };
  const hangUp = () => {
    for (const connection of server.connections) connection.close();
  };
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    closeTimeout: 1,
    disableReverseLookup: true,
    onClose(session) {
      void late.get(session.id)?.();
    },
    onRcptTo(address, _session, done) {
      asked.push(address.address);
      done(refusal('rcpt'));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
      stream.on('end', () => {
        const refused = refusal('data');
        if (refused) return done(refused);
        const behaviour = next.shift() ?? 'take';
        if (behaviour === 'hang') return void held.push(() => done());
        if (behaviour === 'late') return void late.set(session.id, () => keep(Buffer.concat(chunks), session, done));
        void keep(Buffer.concat(chunks), session, behaviour === 'take' ? done : hangUp);
      });
    },
    ...options,
  });
  // A client that hangs up in the middle is part of what is tested.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    config: {
      host: '127.0.0.1',
      port,
      security: 'none',
      username: null,
      password: null,
      fromAddress: 'no-reply@panel.example',
      fromName: 'Nether Hosting',
    },
    delivered,
    next,
    asked,
    async close() {
      for (const answer of held) answer();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}
