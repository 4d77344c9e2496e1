import { expect, setDefaultTimeout, test } from 'bun:test';
import { isNode, lineOf, nameOf, readSources, walk, type SyntaxNode } from '#tests/support/sources.ts';

// Every repository is parsed, which takes its time on a busy machine.
setDefaultTimeout(300_000);

const COMMAND = 'what every command on credits writes or asks, in one conditional statement; measured (bench h.*)';
const LEDGER = 'the ledger: conditional statements, engine-specific locks, and walks along a named index';
const PLANNED = 'a question of counts and windows over a table without bound, whose plan a test holds';
const LISTED = 'a list of staff whose order, filters and joins are put together for its index';

/** The repositories that may write SQL by hand, each with the reason (decision 036). All others use the builder. */
const BY_HAND: Readonly<Record<string, string>> = {
  'abuse.ts': PLANNED,
  'own-mails.ts': 'the users of an audience, counted in a question that can be stopped',
  'imports.ts':
    'a million rows, each looked for and written by its key, and sums that the ledger has under their references',
  'discord-roles.ts': 'linked users with all that decides on their roles, a page at a time, each in one statement',
  'attention.ts': 'counts and sums of what is open, each along its index',
  'server-usage.ts': 'all servers of a machine every five minutes, a hundred in a statement',
  'tickets.ts': 'each list along the index of its own condition',
  'ticket-inbox.ts': 'each list of the inbox along the index of its own condition, and the next tag along an index',
  'ticket-reports.ts': 'figures of a span of time along the index of when it happened, and middles by windows',
  'ticket-search.ts': 'the index of words is another on each engine',
  'ticket-attachments.ts': 'those that no message took: the newest kept, the rest taken in one statement',
  'search.ts': 'one question an index, each with its own statement',
  'settings.ts': 'one lock for every change of settings',
  'access.ts': 'one lock for every change of roles, and a count over all users that can be stopped',
  'afk.ts': 'a beat of every player twice a minute',
  'capacity.ts': 'promises of room and ports: conditional statements under locks, the fullest or emptiest node first',
  'counters.ts': COMMAND,
  'gifts.ts': COMMAND,
  'plugin-packages.ts': 'single rows by their keys, a count that holds under concurrency, and what waits in its order',
  'plugins.ts': 'a handful of rows read whole, and a count that holds under concurrency',
  'announcements-staff.ts': 'an audience is counted up to a bound, by a question that can be stopped',
  'image-reports.ts': 'each list along its index, counted to a bound, with the names of a page',
  'library-images.ts': 'the list along its index',
  'images.ts': 'each list along its index, each counter raised by one statement, and what an upload waits for',
  'health.ts': 'figures by half hour, and counts of what waits: sums and conditions over many rows',
  'jobs.ts': 'the lease: one conditional statement an engine, along the index of what is due',
  'leaderboard-sources.ts': PLANNED,
  'leaderboard.ts': 'counts of a tree that are kept with every score, and sums over it',
  'ledger-accruals.ts': LEDGER,
  'ledger-append.ts': LEDGER,
  'ledger-archive-verify.ts': LEDGER,
  'ledger-archive.ts': LEDGER,
  'ledger-blocks.ts': LEDGER,
  'ledger-days.ts': LEDGER,
  'ledger-questions.ts': LEDGER,
  'ledger-verify.ts': LEDGER,
  'ledger.ts': LEDGER,
  'limits.ts': COMMAND,
  'overview.ts': 'open outages, each with a count of who waits there',
  'panels.ts': 'a name that is compared without upper case',
  'payments-list.ts': 'payments of another dashboard by an expression that an index has',
  'payments-problems.ts': PLANNED,
  'notifications.ts':
    'recipients with their ways, and the notifications themselves, each one statement however many there are',
  'outbox.ts': LISTED,
  'people-list.ts': PLANNED,
  'profiles.ts': COMMAND,
  'redeem.ts': COMMAND,
  'servers.ts': 'owners whose servers do not go with their status: two questions in one, each along its index',
  'servers-builds.ts': 'what every build asks: rows of many tables in one question',
  'servers-queue.ts': 'entries that wait too long: each state along its own index',
  'setting-effects.ts': 'counts of what is open, each along its index and up to a limit',
  'staff-drift.ts': LISTED,
  'staff-queue.ts': LISTED,
  'staff-servers.ts': LISTED,
  'staff-where.ts': LISTED,
  'webhooks.ts': 'each question along its index, what is due in the order of each object, and chunks of many rows',
  'waiting-list.ts': 'the first who waits, taken in one statement',
};

/** Where a repository writes SQL itself: a call of `raw`, or a template of the builder. */
function handwritten(tree: SyntaxNode): number[] {
  const lines: number[] = [];
  walk(tree, (node) => {
    const callee = isNode(node, 'CallExpression') ? node.callee : null;
    const isRaw =
      isNode(callee, 'MemberExpression') &&
      nameOf(callee.object) === 'raw' &&
      ['all', 'one', 'run'].includes(nameOf(callee.property));
    const isTemplate = isNode(node, 'TaggedTemplateExpression') && nameOf(node.tag) === 'sql';
    // A word that is written out, so that SQLite finds a partial index, is the builder's.
    const isSqlCall =
      isNode(callee, 'MemberExpression') && nameOf(callee.object) === 'sql' && nameOf(callee.property) !== 'lit';
    if (isRaw || isTemplate || isSqlCall) lines.push(lineOf(node));
  });
  return lines;
}

const repositories = readSources(['server/data/repos/*.ts']).map(({ path, tree }) => ({
  name: path.slice(path.lastIndexOf('/') + 1),
  tree,
  lines: handwritten(tree),
}));

test('a repository uses the query builder, unless the list names why it writes SQL by hand', () => {
  expect(repositories.length).toBeGreaterThan(40);
  const found = repositories
    .filter(({ name, lines }) => lines.length > 0 && !Object.hasOwn(BY_HAND, name))
    .map(({ name, lines }) => `${name}: ${lines.join()}`);
  expect(found).toEqual([]);
  // A reason that is no longer needed goes.
  const byHand = repositories.filter(({ lines }) => lines.length > 0).map(({ name }) => name);
  expect(Object.keys(BY_HAND).filter((name) => !byHand.includes(name))).toEqual([]);
});

test('a repository takes no connection that it does not use', () => {
  const unused = repositories.flatMap(({ name, tree }) => {
    const lines: string[] = [];
    walk(tree, (node) => {
      if (isNode(node, 'Identifier') && ['_db', '_raw'].includes(nameOf(node))) lines.push(`${name}: ${lineOf(node)}`);
    });
    return lines;
  });
  expect(unused).toEqual([]);
});
