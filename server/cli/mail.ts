import type { StoredMail } from '#server/modules/mailing/index.ts';
import type { UnitOfWork } from '#server/modules/tx.ts';

/** Where a command prints; the console unless a test listens. */
export interface Output {
  out(line: string): void;
  err(line: string): void;
}
export const consoleOutput: Output = { out: (line) => console.log(line), err: (line) => console.error(line) };

/**
 * `spawnpoint mail list [--limit N]`: the outbox, newest first, each mail with its text: without SMTP this is where
 * mails are read. Out: the exit code (2 where it is used wrongly).
 */
export async function mailListCommand(
  services: { readonly uow: UnitOfWork },
  argv: readonly string[],
  output: Output = consoleOutput,
): Promise<number> {
  const limit = argv.length === 1 ? 20 : argv[1] === '--limit' && argv.length === 3 ? Number(argv[2]) : Number.NaN;
  if (argv[0] !== 'list' || !Number.isInteger(limit) || limit < 1 || limit > 1000) {
    output.err('Usage: spawnpoint mail list [--limit N]   (N from 1 to 1000, 20 when absent)');
    return 2;
  }
  const mails = await services.uow.read((tx) => tx.mail.listLatest(limit));
  if (mails.length === 0) output.out('The outbox is empty.');
  for (const mail of mails) output.out(shown(mail));
  return 0;
}

function shown(mail: StoredMail): string {
  const facts = [
    `${new Date(mail.createdMs).toISOString()}  ${mail.state}${mail.attempts > 0 ? ` after ${mail.attempts} attempts` : ''}  ${mail.template} (${mail.locale})`,
    `To: ${mail.address}`,
    `Subject: ${mail.subject}`,
    ...(mail.lastError === null ? [] : [`Error: ${mail.lastError}`]),
  ];
  const body = mail.text.split('\n').map((line) => `  ${line}`.trimEnd());
  // Text of users must not steer the terminal it is shown on.
  return `${[...facts, '', ...body, ''].join('\n')}\n`.replaceAll(/[^\P{Cc}\n]/gu, '');
}
