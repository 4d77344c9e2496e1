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
const ROTATED =
  "if (!(await tx.identity.rotateSession(ctx.actor.sessionId, ids.hash(secret), now + SESSION_LIFE))) throw new DomainError('UNAUTHENTICATED');";
const PASSED = 'await tx.factors.markPassed(ctx.actor.sessionId, now);';
const DEVICE_OF_USER = 'await tx.factors.trustDevice(user.id, ids.hash(device), now);';
const DEVICE_OF_ID = 'await tx.factors.trustDevice(userId, ids.hash(device), now);';
const STILL_ACTIVE = "if (user.status !== 'active') throw new DomainError('UNAUTHENTICATED');";
const FACTOR_ON = "if ((await tx.factors.find(user.id))?.secret == null) throw new DomainError('TWO_FACTOR_OFF');";
const FACTOR_GONE = 'await tx.factors.remove(userId);';
const DISABLED_EVENT = "await deps.events.emit(tx, 'user.two_factor_disabled', { userId }, ctx);";
const REMOVED_EVENT = "await deps.events.emit(tx, 'user.two_factor_removed', { userId, username }, ctx);";
const ENABLED_EVENT = "await deps.events.emit(tx, 'user.two_factor_enabled', { userId }, ctx);";
const STEP_SAVED = 'await tx.factors.save({ ...row, lastStep: step });';
const TRIES_CLEARED = 'await clearTries(tx, windows);';
const NOT_ON_YET = "if (row.secret !== null) throw new DomainError('TWO_FACTOR_ON');";
const BEGUN =
  'await tx.factors.save({ ...row, pending: codes.seal(user.id, totp.newSecret()), pendingMs: clock.now(), pendingSession: ctx.actor.sessionId, });';
const BOUND = 'await tx.identity.bindSession(sessionId, binding);';
const CONFIRM_AUDITED = "await writeAudit(tx, deps, ctx, { action: 'account.confirm', target: ctx.actor.userId });";
const CODE_MISSING = "if (row.secret !== null) throw fieldError('code', 'REQUIRED');";
const CONFIRM_MARKED = 'await markConfirmed(tx, ctx, device);';
const LOGIN_AUDITED =
  "await writeAudit(tx, deps, toSignedIn(ctx, user, opened.sessionId), { action: 'account.login', target: user.id });";
const DEVICE_RECORDED = 'await recordLoginDevice(tx, ctx, user, browser.device, opened.sessionId);';
const VIEWING_BEGUN =
  "if (!(await tx.identity.startViewing(sessionId, staff.id, viewing))) throw new DomainError('CONFLICT');";
const VIEWING_EVENT = "await events.emit(tx, 'user.viewing_started', { ...viewing, username: user.username }, ctx);";

export const IDENTITY: readonly Accepted[] = [
  {
    file: 'server/modules/identity/open-session.ts',
    within: 'openSessionFor',
    changes: [[`${LOGIN_AUDITED} ${DEVICE_RECORDED}`, `${DEVICE_RECORDED} ${LOGIN_AUDITED}`]],
    because: 'One transaction writes both, or neither.',
  },
  {
    file: 'server/modules/identity/confirmation.ts',
    within: 'markConfirmed',
    changes: [[`${BOUND} ${CONFIRM_AUDITED}`, `${CONFIRM_AUDITED} ${BOUND}`]],
    because: 'One transaction writes both, or neither.',
  },
  {
    file: 'server/modules/identity/confirmation.ts',
    within: 'confirm',
    changes: [[`${CODE_MISSING} ${CONFIRM_MARKED}`, `${CONFIRM_MARKED} ${CODE_MISSING}`]],
    because: 'The refusal takes the whole transaction back, and with it what was marked.',
  },
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
    file: 'server/modules/topic-cache.ts',
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
  {
    file: 'server/modules/identity/two-factor.ts',
    within: 'markPassed',
    changes: [
      [`${ROTATED} ${PASSED}`, `${PASSED} ${ROTATED}`],
      [`${PASSED} ${DEVICE_OF_USER}`, `${DEVICE_OF_USER} ${PASSED}`],
    ],
    because: 'Steps of one transaction, which is given up where the session has ended.',
  },
  {
    file: 'server/modules/identity/two-factor.ts',
    within: 'passFactor',
    changes: [
      [STILL_ACTIVE, ';'],
      [`${STILL_ACTIVE} ${FACTOR_ON}`, `${FACTOR_ON} ${STILL_ACTIVE}`],
    ],
    because: 'A ban ends the sessions in its own transaction, so that none is left whose secret could be replaced.',
  },
  {
    file: 'server/modules/identity/two-factor.ts',
    within: 'removeFactor',
    changes: [[`${FACTOR_GONE} ${DISABLED_EVENT}`, `${DISABLED_EVENT} ${FACTOR_GONE}`]],
    because: 'Steps of one transaction; nobody who hears of the event reads the factor.',
  },
  {
    file: 'server/modules/identity/two-factor.ts',
    within: 'disableOf',
    changes: [[`${FACTOR_GONE} ${REMOVED_EVENT}`, `${REMOVED_EVENT} ${FACTOR_GONE}`]],
    because: 'Steps of one transaction; nobody who hears of the event reads the factor.',
  },
  {
    file: 'server/modules/identity/factor-codes.ts',
    within: '',
    changes: [['const REHASH_BATCH = 500;', 'const REHASH_BATCH = 501;']],
    because: 'How many rows a transaction takes.',
  },
  {
    file: 'server/modules/identity/factor-codes.ts',
    within: 'checkAppCode',
    changes: [[`${STEP_SAVED} ${TRIES_CLEARED}`, `${TRIES_CLEARED} ${STEP_SAVED}`]],
    because: 'Steps of one transaction that touch different rows.',
  },
  {
    file: 'server/modules/identity/factor-setup.ts',
    within: 'begin',
    changes: [[`${NOT_ON_YET} ${BEGUN}`, `${BEGUN} ${NOT_ON_YET}`]],
    because: 'What is refused is given up with its transaction.',
  },
  {
    file: 'server/modules/identity/factor-setup.ts',
    within: 'enable',
    changes: [
      [`${PASSED} ${DEVICE_OF_ID}`, `${DEVICE_OF_ID} ${PASSED}`],
      [`${DEVICE_OF_ID} ${ENABLED_EVENT}`, `${ENABLED_EVENT} ${DEVICE_OF_ID}`],
    ],
    because: 'Steps of one transaction that touch different rows.',
  },
  {
    file: 'server/modules/identity/viewing.ts',
    within: 'start',
    changes: [["assertMay(ctx, 'admin.users.edit');", ';']],
    because: 'Whether they may view (mayView) asks for the same right, as the role has it by now.',
  },
  {
    file: 'server/modules/identity/viewing.ts',
    within: 'start',
    changes: [[`${VIEWING_BEGUN} ${VIEWING_EVENT}`, `${VIEWING_EVENT} ${VIEWING_BEGUN}`]],
    because: 'The refusal takes the event back with its transaction.',
  },
];
