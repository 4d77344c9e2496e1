import type { Accepted } from './accepted.types.ts';

const COOKIE = 'value = header.slice(at + name.length + 1, end < 0 ? undefined : end).trim();';
const UNTIL = 'const until = row && row.count >= tries ? row.lastMs + lengthMs : 0;';
const STILL = 'if (until > nowMs) wait = Math.max(wait, Math.ceil((until - nowMs) / SECOND));';
const CLEARED = 'if (!row || row.count <= 1 || forget.includes(bucket)) await tx.identity.clearAttempts(bucket.key);';
const MUST_WAIT =
  "if (typeof checked === 'object') return { refused: new DomainError('RATE_LIMITED', { retryAfterS: checked.waitS }) };";
const IS_WRONG = "if (checked === 'wrong') return { refused: fieldError('code', 'CODE_WRONG') };";
const FIND_BY_LINK = 'const user = await uow.read((tx) => links.findUserByLink(tx, tokenHash, false));';
const LOCK_BY_LINK = 'const user = await links.findUserByLink(tx, tokenHash, true);';
const USED = "const used = user && (await tx.identity.useToken('reset', tokenHash, now));";
const STORED = 'if (!user || !used || !(await tx.identity.setPassword(user.id, hash, user.passwordVersion, now)))';
const CLEAR_OWN = 'await tx.identity.clearAttempts(accountTriesKey(user.id));';
const CLEAR_DEVICES = 'await tx.identity.clearAttemptsUnder(deviceTriesPrefix(user.id));';

export const IDENTITY: readonly Accepted[] = [
  {
    file: 'server/modules/identity/reset.ts',
    within: 'storePassword',
    changes: [
      [LOCK_BY_LINK, LOCK_BY_LINK.replace('true', 'false')],
      [USED, USED.replace('&&', '||')],
      [STORED, STORED.replace('!user ||', '!user &&')],
      [`${CLEAR_OWN} ${CLEAR_DEVICES}`, `${CLEAR_DEVICES} ${CLEAR_OWN}`],
    ],
    because:
      'A link is bound to the password that it was sent for, and a password is set only over the version that was read: lock and token are the second wall. Two counters have no order.',
  },
  {
    file: 'server/modules/identity/reset.ts',
    within: 'reset',
    changes: [[FIND_BY_LINK, FIND_BY_LINK.replace('false', 'true')]],
    because: 'PostgreSQL refuses a lock in a transaction that only reads; to SQLite it is the same.',
  },
  {
    file: 'server/modules/identity/factor-proof.ts',
    within: 'withCode',
    changes: [[`${MUST_WAIT} ${IS_WRONG}`, `${IS_WRONG} ${MUST_WAIT}`]],
    because: 'A code is either wrong or has to wait, never both.',
  },
  {
    file: 'server/http/cookies.ts',
    within: 'readCookie',
    changes: [
      [COOKIE, COOKIE.replace('< 0', '<= 0')],
      [COOKIE, COOKIE.replace('< 0', '< 1')],
    ],
    because: 'The sign that ends a value is looked for behind a name, so that it is never the first.',
  },
  {
    file: 'server/http/cookies.ts',
    within: 'decodeValue',
    changes: [["if (!value.includes('%')) return value;", ';']],
    because: 'A value without the sign decodes to itself, only not as quickly.',
  },
  {
    file: 'server/api/live.ts',
    within: 'checkSession',
    changes: [["enqueue('session'); end();", "end(); enqueue('session');"]],
    because: 'Nobody reads between the two: the stream gives what waits before it ends.',
  },
  {
    file: 'server/modules/identity/factor-tries.ts',
    within: 'secondsToWait',
    changes: [
      [UNTIL, UNTIL.replace(': 0;', ': 1;')],
      [STILL, STILL.replace('until > nowMs', 'until >= nowMs')],
    ],
    because: 'Both are moments that have passed, and nothing is left of a wait that ends now.',
  },
  {
    file: 'server/modules/identity/throttle.ts',
    within: 'refund',
    changes: [[CLEARED, CLEARED.replace('<= 1', '< 1')]],
    because: 'A count of nothing is the same as no count.',
  },
  {
    file: 'server/modules/identity/topic-cache.ts',
    within: 'get',
    changes: [['if (entries.size * 2 > max) {', 'if (entries.size * 2 >= max) {']],
    because: 'From where on the order is kept does not matter as long as it is before the cache is full.',
  },
  {
    file: 'server/modules/identity/factor-setup.ts',
    within: 'emptyFactor',
    changes: [['lastStep: 0,', 'lastStep: 1,']],
    because: 'No code is of the first minute of 1970.',
  },
];
