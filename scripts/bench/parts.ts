import { LOAD_CORE, SERVER_CORE } from './pin.ts';

/** A part of the benchmark: its letter, what it measures, and the core its process is held on (null: it needs none). */
export interface Part {
  readonly letter: string;
  /** A word by which it is chosen as well (`bun run bench stall`). */
  readonly name?: string;
  readonly what: string;
  readonly core: number | null;
  /** It takes too long for a run of all parts, or needs what few machines have. */
  readonly onlyAsked?: true;
}

export const PARTS: readonly Part[] = [
  { letter: 'a', what: 'dashboard, rendered on the server', core: SERVER_CORE },
  // These start servers on the other core and are the load themselves.
  { letter: 'b', what: 'session answer over HTTP', core: LOAD_CORE },
  { letter: 'c', what: 'transfers in the ledger', core: SERVER_CORE },
  { letter: 'd', what: 'weight of the scripts', core: null },
  { letter: 'e', what: 'start and memory of the binary', core: LOAD_CORE },
  // A browser has many processes; it takes the cores it needs.
  { letter: 'f', what: 'pages in a throttled browser', core: null },
  {
    letter: 'g',
    what: 'leaderboard, statement, and list of users by every filter in every order, among a million people',
    // What sorts a million rows takes both cores; figures are processor time.
    core: null,
  },
  { letter: 'h', what: 'commands on credits over HTTP, and a minute of 50,000 AFK streams', core: LOAD_CORE },
  {
    letter: 'i',
    what: 'servers at a panel: queue, reconciliation, and the dashboard of a panel that hangs',
    core: SERVER_CORE,
  },
  // Threads for long questions take the other core.
  { letter: 'j', what: 'stalls of a small host: proof, long statement, its CSV, leaderboard', core: null },
  // The threads that hash passwords take the other core.
  { letter: 'k', what: 'session polls while fifty people log in', core: null },
  { letter: 'r', what: 'images of users: drawn, sent, and listed among a million', core: null },
  { letter: 't', what: 'inbox of tickets among a million, and an announcement to all', core: null },
  { letter: 'm', what: 'backup and restore of half a million movements, and what players notice of it', core: null },
  // Threads for long questions take the other core.
  {
    letter: 's',
    name: 'stall',
    what: 'every question over HTTP with its worst input, and every scheduled task, in a believable world',
    core: null,
  },
  {
    letter: 'y',
    name: 'stall',
    // The server, the commands, visitors and polls share the machine, as they do at a host.
    what: 'every action of the command line beside a server, and a thousand visitors who leave or dawdle',
    core: null,
    onlyAsked: true,
  },
  {
    letter: 'z',
    name: 'archive',
    what: 'the archive of the ledger carried to its end, in a believable world',
    core: null,
    onlyAsked: true,
  },
  { letter: 'o', what: 'users from another dashboard', core: null },
  {
    letter: 'p',
    what: 'plugins and webhooks: commands that they hear of, events through one, pages with three',
    core: null,
  },
  {
    letter: 'u',
    name: 'growth',
    what: 'what a day of AFK adds to the database, and what each user takes after half a year, by table',
    core: SERVER_CORE,
  },
  {
    letter: 'q',
    name: 'node',
    what: 'servers that really run: starts, consoles, files, and a hundred that idle (as root on Linux)',
    core: null,
    onlyAsked: true,
  },
  { letter: 'v', name: 'statements', what: 'statements that a command sends to the database', core: null },
  { letter: 'w', name: 'workers', what: 'pages of several processes on two cores', core: null },
  // The server of the database takes the other core, and SQLite's flusher does.
  {
    letter: 'x',
    name: 'postgres',
    what: 'commands on credits and the dashboard on PostgreSQL, beside SQLite',
    core: null,
  },
  { letter: 'n', what: 'a message of a ticket from its sender to the screen of its reader', core: LOAD_CORE },
];

export interface Options {
  readonly json: boolean;
  readonly build: boolean;
  readonly parts: readonly Part[];
}

/**
 * Reads the command line: `--json`, `--only a,c`, `--no-build`, and the name of a part. Throws Error for what it does
 * not know.
 */
export function readOptions(argv: readonly string[]): Options {
  let parts: readonly Part[] = PARTS.filter(({ onlyAsked }) => !onlyAsked);
  let json = false;
  let build = true;
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at];
    if (word === '--json') json = true;
    else if (word === '--no-build') build = false;
    else if (word === '--only') {
      at += 1;
      parts = chosen(argv[at] ?? '');
    } else if (PARTS.some(({ name }) => name === word)) parts = PARTS.filter(({ name }) => name === word);
    else throw new Error(`unknown option ${word}; known are --json, --only a,c and --no-build`);
  }
  return { json, build, parts };
}

function chosen(list: string): readonly Part[] {
  const letters = list.split(',').map((letter) => letter.trim());
  const strange = letters.filter((letter) => !PARTS.some((part) => part.letter === letter));
  if (strange.length > 0) throw new Error(`--only takes letters of ${PARTS.map(({ letter }) => letter).join(', ')}`);
  return PARTS.filter(({ letter }) => letters.includes(letter));
}
