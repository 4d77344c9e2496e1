import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

/** User, password and folder of the mailbox. */
export const MAILBOX = { username: 'support', password: 'hush', folder: 'INBOX' } as const;
/** Whom the mails belong to: dovecot gives up the rights of root. */
const NOBODY = 65_534;

export interface Dovecot {
  /** Where a connection begins in clear; with a certificate it can be encrypted by STARTTLS. */
  readonly port: number;
  /** Where it is encrypted from its first byte; 0 without a certificate. */
  readonly tlsPort: number;
  /** Delivers a mail into the inbox. Out: the name of its file. */
  deliver(mail: string | Uint8Array): string;
  /** Flags of the mails that were read, by letters: `S` is seen. */
  flags(): string[];
  /** How often somebody logged in. */
  logins(): number;
  /** Numbers mails anew, as after the mailbox was restored elsewhere. */
  renumber(): void;
  /** Takes all mails away, while nobody is logged in. */
  empty(): void;
  close(): Promise<void>;
}

/**
 * A real IMAP server (Debian's dovecot-imapd) on free ports of this machine, with one mailbox. Needs root. In: its
 * certificate and the key of that, both as PEM; without them it knows no encryption.
 */
export async function openDovecot(certificate?: { readonly key: string; readonly cert: string }): Promise<Dovecot> {
  const folder = mkdtempSync(join(tmpdir(), 'spawnpoint-dovecot-'));
  chmodSync(folder, 0o755);
  const [port, mail] = [await freePort(), join(folder, 'mail')];
  const boxes = join(mail, MAILBOX.username);
  for (const each of [mail, boxes, ...['cur', 'new', 'tmp'].map((name) => join(boxes, name))]) {
    mkdirSync(each);
    chownSync(each, NOBODY, NOBODY);
  }
  const tlsPort = certificate ? await freePort() : 0;
  for (const [name, pem] of Object.entries(certificate ?? {})) writeFileSync(join(folder, `${name}.pem`), pem);
  const tls = certificate ? `yes\nssl_cert = <${folder}/cert.pem\nssl_key = <${folder}/key.pem` : 'no';
  const config = join(folder, 'dovecot.conf');
  writeFileSync(
    config,
    `base_dir = ${folder}/run
state_dir = ${folder}/lib
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
ssl = ${tls}
disable_plaintext_auth = no
auth_failure_delay = 0 secs
default_login_user = dovenull
default_internal_user = dovecot
mail_location = maildir:${mail}/%u
first_valid_uid = 1
passdb {
  driver = static
  args = password=${MAILBOX.password}
}
userdb {
  driver = static
  args = uid=${NOBODY} gid=${NOBODY} home=${mail}/%u
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = ${tlsPort}
    ssl = yes
  }
}
service anvil {
  chroot =
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service stats {
  chroot =
}
`,
  );
  const server = Bun.spawn(['dovecot', '-F', '-c', config], { stdout: 'ignore', stderr: 'ignore' });
  const started = Date.now();
  while (!existsSync(join(folder, 'log')) || !readFileSync(join(folder, 'log'), 'utf8').includes('starting up')) {
    if (Date.now() - started > 10_000 || server.exitCode !== null) throw new Error('dovecot does not start');
    await Bun.sleep(10);
  }
  let made = 0;
  const renumber = () => {
    for (const name of readdirSync(boxes))
      if (name.startsWith('dovecot')) rmSync(join(boxes, name), { recursive: true });
  };
  return {
    port,
    tlsPort,
    deliver(content) {
      const name = `${1_700_000_000 + (made += 1)}.M${made}P1.test`;
      const path = join(boxes, 'tmp', name);
      writeFileSync(path, content);
      chownSync(path, NOBODY, NOBODY);
      // Whole at once, as a mail server delivers.
      renameSync(path, join(boxes, 'new', name));
      return name;
    },
    flags: () => readdirSync(join(boxes, 'cur')).map((name) => name.split(':2,')[1] ?? ''),
    logins: () => readFileSync(join(folder, 'log'), 'utf8').split(': Login: ').length - 1,
    renumber,
    empty() {
      for (const folder of ['cur', 'new'])
        for (const name of readdirSync(join(boxes, folder))) rmSync(join(boxes, folder, name));
      renumber();
    },
    async close() {
      server.kill('SIGTERM');
      await server.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
