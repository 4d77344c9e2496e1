import type { Accepted } from './accepted.types.ts';

const FILE = 'server/modules/imports/undo.ts';
const NEXT = "after = rows.at(-1)?.sourceId ?? '';";
const LOCKS = "await tx.ledger.lock(['system:import', `user:${targetId}`]);";
const DELETED = "await tx.identity.setStatus(targetId, 'deleted', { reason: null, untilMs: null }, deps.clock.now());";
const ERASED = 'await tx.deletions.erase(targetId, nobody, deps.clock.now());';
const TOUCHED = "if (made && (await tx.imports.isTouched(targetId, run.id))) throw new DomainError('CONFLICT');";
const SPENT =
  "if (!made && (await tx.ledger.balance(`user:${targetId}`)) < credits) throw new DomainError('INSUFFICIENT_CREDITS');";
const SERVER = "if (kind === 'server') return !made || tx.imports.forgetServer(targetId);";
const NO_THING = "if (kind === 'user' || kind === 'setting') return false;";

export const IMPORTS: readonly Accepted[] = [
  {
    file: FILE,
    within: 'eachBatch',
    changes: [['else stays += 1;', 'else stays += 2;']],
    because: 'It only counts whether anything stays.',
  },
  {
    file: FILE,
    within: 'eachBatch',
    changes: [[NEXT, NEXT.replace('-1', '-2')]],
    because: 'The last row of a full batch is read once more: it is gone by then, or stays once more.',
  },
  {
    file: FILE,
    within: 'assertUntouched',
    changes: [[NEXT, NEXT.replace('-1', '-2')]],
    because: 'The last row of a full batch is looked at twice.',
  },
  {
    file: FILE,
    within: 'removeUser',
    changes: [
      [LOCKS, ';'],
      [LOCKS, LOCKS.replace("'system:import', ", '')],
      [LOCKS, LOCKS.replace(', `user:${targetId}`', '')],
    ],
    because:
      'On SQLite there is one writer, so locks are nothing there; on PostgreSQL the spender beside an undo finds the first and the last. The account of imports is locked again by the reversal: here only for the order.',
  },
  {
    file: FILE,
    within: 'removeUser',
    changes: [[`${DELETED} ${ERASED}`, `${ERASED} ${DELETED}`]],
    because: 'Two changes of one row in one transaction; neither reads what the other wrote.',
  },
  {
    file: FILE,
    within: 'assertRemovable',
    changes: [[`${TOUCHED} ${SPENT}`, `${SPENT} ${TOUCHED}`]],
    because: 'Of one row either the first or the second asks.',
  },
  {
    file: FILE,
    within: 'reverseOpening',
    changes: [['credits > 0', 'credits >= 0']],
    because: 'Who brought nothing has no opening posting: none is found.',
  },
  {
    file: FILE,
    within: 'forgetThing',
    changes: [
      [`${SERVER} ${NO_THING}`, `${NO_THING} ${SERVER}`],
      [NO_THING, NO_THING.replace('false', 'true')],
    ],
    because: 'A server is none of the two, and users and settings never come here: the line is for the compiler.',
  },
];
