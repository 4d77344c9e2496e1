import type { Accepted } from './accepted.types.ts';

const LOCK = 'await tx.ledger.lock([debt(userId), wallet(userId)]);';
/** Each lock without one of its two accounts. */
const ONE_LOCK = [
  [LOCK, 'await tx.ledger.lock([wallet(userId)]);'],
  [LOCK, 'await tx.ledger.lock([debt(userId)]);'],
] as const;
const ARCHIVED_ALL =
  'if (changes !== expected) throw new Error(`the archive read ${expected} rows and would have deleted ${changes}`);';
const PADDED = "const padded = [...some, ...Array<string>(KEYS - some.length).fill('')];";
const POSTED_AHEAD =
  'if (dayOf(now + MINUTE) !== part.day || now + MINUTE >= part.dueMs) await postAccrual(deps, tx, account);';
const KNOWN = "if (!original) throw new DomainError('NOT_FOUND');";
const REVERSED = "if (await tx.ledger.reversalOf(id)) throw new DomainError('ALREADY_REVERSED');";
const PAYERS_LOCK = 'await tx.ledger.lock([`debt:${userId}`, `user:${userId}`]);';
const FURTHER = 'return RANK[known] >= RANK[said] ? known : said;';
const INDECISIVE =
  "if (!DECISIVE.has(said.state)) return later && known.state === 'taken' ? { ...known, amount: said.amount } : known;";
const SAME_TIME = 'if (sameTime) return further === said.state ? said : known;';
const PAUSE = 'return nowMs + Math.min(5 * MINUTE * 2 ** Math.min(order.checks, 10), 6 * HOUR);';
const SORTED = '.toSorted((a, b) => (a.userId < b.userId ? -1 : 1))) {';
const FRESH_FAULT = 'for (const fault of faults) if (await tx.ledgerFaults.record(fault, now)) fresh += 1;';
const PRICE_COVERED =
  "if ((await ledger.balance(tx, walletOf(userId))) < price) throw new DomainError('INSUFFICIENT_CREDITS');";
const HAS_ROOM = "if (usage.images >= IMAGES_MAX || usage.bytes >= quota * MB) throw new DomainError('IMAGE_QUOTA');";
const PLUGIN_PAYS =
  "await deps.ledger.transfer(tx, { kind: 'plugin', reference, subject: name, actor: userId, postings: [{ source: 'system:plugins', destination: `user:${userId}`, amount: toCredits(amount) }], });";
const PLUGIN_SAYS = "await deps.events.emit(tx, 'plugin.paid', { identifier, name, userId, amount, reference });";

export const MONEY: readonly Accepted[] = [
  {
    file: 'server/modules/ledger/debts.ts',
    within: 'returnCredits',
    changes: ONE_LOCK,
    because: 'Either lock lets one of them in at a time; both are named so that the order is that of every payer.',
  },
  {
    file: 'server/modules/ledger/debts.ts',
    within: 'payDebt',
    changes: ONE_LOCK,
    because: 'As in `returnCredits`; the append itself locks both once more.',
  },
  {
    file: 'server/data/repos/ledger-archive-verify.ts',
    within: 'verifyArchivePart',
    changes: [['while (faults.length < left) {', 'while (faults.length <= left) {']],
    because: 'Fifty faults are named in either case.',
  },
  {
    file: 'server/data/repos/ledger-archive-verify.ts',
    within: '',
    changes: [['const STEP = 20;', 'const STEP = 21;']],
    because: 'How many are read at a time is seen by nobody.',
  },
  {
    file: 'server/data/repos/ledger-archive-verify.ts',
    within: 'lookUp',
    changes: [
      ['for (let at = 0; at < keys.length; at += KEYS) {', 'for (let at = 0; at <= keys.length; at += KEYS) {'],
      [PADDED, 'const padded = [...some];'],
      [PADDED, PADDED.replace('-', '+')],
    ],
    because: 'The empty keys are there so that the statement is always the same; they find nothing, and cost.',
  },
  {
    file: 'server/data/repos/ledger-archive-verify.ts',
    within: 'compareCounts',
    changes: [['const stored = row?.kept ?? 0;', 'const stored = row?.kept ?? 1;']],
    because: 'A count always has a row.',
  },
  {
    file: 'server/data/repos/ledger-blocks.ts',
    within: 'archivedLines',
    changes: [['Math.max(fromMs, after?.createdMs ?? 0),', 'Math.min(fromMs, after?.createdMs ?? 0),']],
    because: 'It spares blocks that hold nothing of what is asked for; the lines are looked at one by one anyway.',
  },
  {
    file: 'server/data/repos/ledger-archive.ts',
    within: 'removeRows',
    changes: [[ARCHIVED_ALL, ';']],
    because: 'A wall: rows that were just read are there, for nothing but the archive deletes, and one at a time.',
  },
  {
    file: 'server/modules/ledger/undo.ts',
    within: 'reverse',
    changes: [[`${KNOWN} ${REVERSED}`, `${REVERSED} ${KNOWN}`]],
    because: 'A transaction that is not there has no reversal either.',
  },
  {
    file: 'server/modules/payments/credits.ts',
    within: 'creditPayment',
    changes: [
      [PAYERS_LOCK, ';'],
      [PAYERS_LOCK, 'await tx.ledger.lock([`user:${userId}`]);'],
      [PAYERS_LOCK, 'await tx.ledger.lock([`debt:${userId}`]);'],
    ],
    because: 'It spares a deadlock, which PostgreSQL ends and which is tried again; every movement locks its accounts.',
  },
  {
    file: 'server/modules/payments/policy.ts',
    within: 'furthest',
    changes: [[FURTHER, FURTHER.replace('>=', '>')]],
    because: 'Two states of the same rank are the same state.',
  },
  {
    file: 'server/modules/payments/policy.ts',
    within: 'mergeDispute',
    changes: [
      ['const further = furthest(known.state, said.state);', 'const further = furthest(said.state, known.state);'],
      [`${INDECISIVE} ${SAME_TIME}`, `${SAME_TIME} ${INDECISIVE}`],
    ],
    because: 'What does not decide goes less far than what does, so that of the same second what is known stays.',
  },
  {
    file: 'server/modules/payments/policy.ts',
    within: 'nextCheck',
    changes: [[PAUSE, PAUSE.replace('10', '11')]],
    because: 'The six hours are reached long before; the bound only keeps the number small.',
  },
  {
    file: 'server/modules/gifts/service.ts',
    within: 'withinCaps',
    changes: [
      [SORTED, SORTED.replace('a.userId < b.userId', '!(a.userId < b.userId)')],
      [SORTED, SORTED.replace('<', '<=')],
      [SORTED, SORTED.replace('-1', '-2')],
      [SORTED, SORTED.replace(': 1', ': 2')],
    ],
    because: 'Only that the order is the same for two gifts that cross matters; a deadlock would be tried again.',
  },
  {
    file: 'server/modules/ledger/faults.ts',
    within: 'recordFaults',
    changes: [[FRESH_FAULT, FRESH_FAULT.replace('+= 1', '+= 2')]],
    because: 'It only counts whether there is a new one.',
  },
  {
    file: 'server/modules/images/upload.ts',
    within: 'assertWelcome',
    changes: [
      [PRICE_COVERED, ';'],
      [`${HAS_ROOM} ${PRICE_COVERED}`, `${PRICE_COVERED} ${HAS_ROOM}`],
      [HAS_ROOM, HAS_ROOM.replace('bytes >=', 'bytes >')],
    ],
    because:
      'The ledger refuses what a wallet does not cover, and the transaction asks for room for the whole file; asked before, it only saves drawing a picture for nothing.',
  },
  {
    file: 'server/modules/plugins/paying.ts',
    within: 'payFromPlugin',
    changes: [[`${PLUGIN_PAYS} ${PLUGIN_SAYS}`, `${PLUGIN_SAYS} ${PLUGIN_PAYS}`]],
    because: 'Steps of one transaction; nobody who hears of the event reads the wallet.',
  },
  {
    file: 'server/modules/ledger/accruals.ts',
    within: 'accrue',
    changes: [[POSTED_AHEAD, POSTED_AHEAD.replace('now + MINUTE)', 'now - MINUTE)')]],
    because:
      'A part of another day finds the open one closed to it, and posts it then; its day is the one it was earned on.',
  },
];
