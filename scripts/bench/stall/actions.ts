/** What earlier actions said, by their words: identifiers are found there. */
export type Said = ReadonlyMap<string, string>;

/** Names of what actions are done with. */
export interface Subjects {
  /** The user with the most of everything. */
  readonly largest: string;
  /** A file of networks, and a dump of another dashboard. */
  readonly networks: string;
  readonly dump: string;
  /** A folder for what is written. */
  readonly folder: string;
  /** Address of the server that runs. */
  readonly url: string;
}

/** One action of the command line, with what it may end with. */
export interface Action {
  words(subjects: Subjects, said: Said): readonly string[];
  /** Exit codes: 0 unless it is documented to refuse. */
  readonly ends: readonly number[];
  /** What is written to its standard input. */
  readonly stdin?: string;
}

const plain = (...words: readonly string[]): Action => ({ words: () => words, ends: [0] });
const refused = (...words: readonly string[]): Action => ({ words: () => words, ends: [1] });
const named = (words: Action['words'], ...ends: readonly number[]): Action => ({
  words,
  ends: ends.length === 0 ? [0] : ends,
});
/** The account that the actions make for themselves. */
const OWN = 'stallbench';
const PASSWORD = 'correct horse battery staple 41\n';
/** The first word that fits, of what an action said. */
const found = (said: Said, words: string, form: RegExp) => form.exec(said.get(words) ?? '')?.[1] ?? 'none';
const backupId = (said: Said) => found(said, 'backup list', /(spawnpoint-\S+)/);
const runId = (said: Said) => found(said, 'import list', /([0-9a-f]{8}-[0-9a-f-]{27})/);

/**
 * Every action of the command line in an order in which each has something to do. What needs a panel or a storage
 * outside is refused as documented.
 */
export const ACTIONS: readonly Action[] = [
  plain('settings', 'list'),
  plain('settings', 'get', 'app_name'),
  plain('settings', 'set', 'app_name', 'Lantern', 'server_renew_cost', '120'),
  plain('mail', 'list', '--limit', '100'),
  {
    ...plain('user', 'create', '--username', OWN, '--email', 'stall@bench.test', '--password-stdin'),
    stdin: PASSWORD,
  },
  plain('user', 'list'),
  plain('user', 'list', '--role', 'vip'),
  plain('user', 'role', '--username', OWN, '--role', 'vip'),
  plain('user', 'ban', '--username', OWN, '--reason', 'measured'),
  plain('user', 'unban', '--username', OWN),
  { ...plain('user', 'password', '--username', OWN, '--password-stdin'), stdin: PASSWORD },
  refused('user', '2fa-off', '--username', OWN),
  plain('user', 'token', 'create', '--username', OWN, '--name', 'bench', '--scopes', 'account:read'),
  plain('user', 'token', 'list', '--username', OWN),
  plain('user', 'token', 'revoke', '--username', OWN, '--all'),
  named(() => ['user', 'delete', '--username', OWN, '--whole', '--yes'], 0, 1),
  named(({ networks }) => ['vpn', 'load', networks]),
  plain('vpn', 'show'),
  plain('vpn', 'clear'),
  plain('panel', 'list'),
  // There is no panel; one that cannot be reached is not connected.
  refused('panel', 'add', '--name', 'None', '--url', 'http://127.0.0.1:9', '--key', 'ptla_none'),
  refused('panel', 'test', 'none'),
  refused('panel', 'sync', 'none'),
  named(() => ['doctor', '--json'], 0, 1, 3),
  plain('migrate'),
  // A second server on a folder names the process that serves it, and ends.
  refused('serve', '--local'),
  named(({ folder }) => ['sdk', `${folder}/sdk`]),
  named(({ folder }) => ['plugin', 'new', `${folder}/measured`]),
  named(({ folder }) => ['plugin', 'check', `${folder}/measured`]),
  named(({ folder }) => ['plugin', 'pack', `${folder}/measured`, '--out', `${folder}/measured.spawnpoint`]),
  named(({ folder }) => ['plugin', 'keygen', `${folder}/key`]),
  named(({ folder }) => ['plugin', 'sign', `${folder}/measured.spawnpoint`, '--key', `${folder}/key`]),
  // Without HTTPS some of its checks fail.
  named(({ url }) => ['smoke', url], 0, 1),
  named(({ dump }) => ['import', 'ctrlpanel', dump, '--dry-run']),
  plain('import', '--resume'),
  plain('import', 'list'),
  named((_, said) => ['import', 'report', runId(said)]),
  named((_, said) => ['import', 'undo', runId(said)]),
  plain('backup', 'count'),
  plain('backup', 'key'),
  plain('backup', 'create'),
  plain('backup', 'list'),
  // Without a storage of its own.
  named((_, said) => ['backup', 'send', backupId(said)], 1),
  named((_, said) => ['backup', 'fetch', backupId(said)], 1),
  refused('backup', 'remote'),
  named((_, said) => ['restore', backupId(said), '--yes'], 1),
  named((_, said) => ['backup', 'verify', backupId(said)]),
  named((_, said) => ['backup', 'delete', backupId(said)]),
  plain('ledger', 'verify'),
  // What these leave to the running server has to do with thousands of servers.
  named(({ largest }) => ['user', 'ban', '--username', largest, '--reason', 'measured']),
  named(({ largest }) => ['user', 'unban', '--username', largest]),
  named(({ largest }) => ['user', 'delete', '--username', largest], 2),
  named(({ largest }) => ['user', 'delete', '--username', largest, '--yes']),
];

/** Actions that are not run, and why. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  node: 'runs servers until it is ended, and does not open the database',
};
