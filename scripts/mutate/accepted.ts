import type { Mutant } from './mutants.ts';

/** Faults that no test finds, and why that does not matter. */
interface Accepted {
  readonly file: string;
  /** The function they lie in, as the script prints it. */
  readonly within: string;
  /** The lines before and after, with single spaces, as the script prints them. */
  readonly changes: readonly (readonly [from: string, to: string])[];
  readonly because: string;
}

const LOCK = 'await tx.ledger.lock([debt(userId), wallet(userId)]);';
/** Each lock without one of its two accounts. */
const ONE_LOCK = [
  [LOCK, 'await tx.ledger.lock([wallet(userId)]);'],
  [LOCK, 'await tx.ledger.lock([debt(userId)]);'],
] as const;
const TAKERS_LOCK = 'await tx.ledger.lock([`debt:${userId}`, wallet]);';
const IN_DEBT = 'if ((await tx.ledger.balance(`debt:${userId}`)) !== 0) return 0;';
const KNOWN = "if (!original) throw new DomainError('NOT_FOUND');";
const REVERSED = "if (await tx.ledger.reversalOf(id)) throw new DomainError('ALREADY_REVERSED');";
const PAYERS_LOCK = 'await tx.ledger.lock([`debt:${userId}`, `user:${userId}`]);';
const FURTHER = 'return RANK[known] >= RANK[said] ? known : said;';
const INDECISIVE =
  "if (!DECISIVE.has(said.state)) return later && known.state === 'taken' ? { ...known, amount: said.amount } : known;";
const SAME_TIME = 'if (sameTime) return further === said.state ? said : known;';
const PAUSE = 'return nowMs + Math.min(5 * MINUTE * 2 ** Math.min(order.checks, 10), 6 * HOUR);';
const SORTED = '.toSorted((a, b) => (a.userId < b.userId ? -1 : 1))) {';
const CACHED = 'if (known?.day === day && known.end > ms) return known.end;';
const QUERY = 'return start < 0 ? {} : Object.fromEntries(new URLSearchParams(url.slice(start + 1)));';
const COOKIE = 'value = header.slice(at + name.length + 1, end < 0 ? undefined : end).trim();';
const DECLARED = 'if (declared > 0) return new Uint8Array(await request.arrayBuffer());';
const EMPTY = 'if (!request.body) return new Uint8Array();';
const KEPT = 'return kept.success && kept.data !== undefined ? [[name, kept.data]] : [];';
const UNTIL = 'const until = row && row.count >= tries ? row.lastMs + lengthMs : 0;';
const STILL = 'if (until > nowMs) wait = Math.max(wait, Math.ceil((until - nowMs) / SECOND));';
const CLEARED = 'if (!row || row.count <= 1 || forget.includes(bucket)) await tx.identity.clearAttempts(bucket.key);';
const POOL = 'const state = { started: false, pollRequested: false };';
const REQUESTED = 'if (state.pollRequested && running.size < width) requestPoll();';
const GROUP = 'const [leaseMs, kinds] = groups[next % groups.length] ?? [0, []];';
const FORBIDDEN =
  "if (endpoint.access !== 'signed-in' && !can(actor.permissions, endpoint.access)) throw new DomainError('FORBIDDEN');";
const UNVERIFIED = "if (endpoint.verified && !actor.verified) throw new DomainError('ACCOUNT_UNVERIFIED');";
const WAIT = 'return window.count <= maxOf(name) ? 0 : Math.max(1, Math.ceil((window.start + length - at) / 1000));';
const CODE_WEIGHS = 'if (terms.altAllowed || device + around === 0) return null;';
const CODE_COUNT =
  "return { code: 'codeShared', weight: Math.max(device, around), count: device >= around ? same.device : same.address };";
const FRESH_FAULT = 'for (const fault of faults) if (await tx.ledgerFaults.record(fault, now)) fresh += 1;';
const BACK = 'if (back.length > 0) await deps.uow.run((tx) => deps.outages.end(tx, back));';
const READY = "if (value.state === 'ready') return deps.uow.run((tx) => finishBuild(deps, tx, leased, value));";
const INSTALL_FAILED =
  "if (value.state === 'install_failed' || value.state === 'reinstall_failed') return failLeasedBuild(deps, leased, 'installFailed');";
const SPOKE = "read.outcome === 'ok' || read.outcome === 'not_found' || read.outcome === 'conflict'";
const CONFIRM = 'await deps.capacity.confirm(tx, server, made);';
const ADOPTED =
  "await tx.servers.update( server.id, { ...seen, syncedRevision: code === 'created' ? leased.server.revision : 0 }, now, );";
const MADE_STEPS = "await deps.history.logSteps(tx, leased.entry, [code, 'waiting']);";
const RELOCATES = 'if (!server || !(await keepLease(deps, tx, leased.entry.id, leased.leaseToken))) return false;';
const OWNER_BANNED = "if (user?.status !== 'active') return failLeasedBuild(deps, leased, 'banned', true);";
const CATALOG_GONE =
  "if (!egg || !location || panelEgg === null) return failLeasedBuild(deps, leased, 'catalogGone', true);";
const KEY_OR_REFUSAL =
  "if (answer.outcome === 'refused') return KEY_REFUSED.test(answer.reason) ? { cause: 'key', reason: answer.reason } : null;";
const UNAVAILABLE = "if (answer.outcome === 'unavailable') return { cause: answer.away ?? 'panel', reason: null };";
const OUTAGE_PAUSE =
  'const nextMs = now + withJitter(Math.min(longest, first * 2 ** Math.min(tries - 1, 10)), deps.random);';
const FAILED_STEP = "await deps.history.logStep(tx, entry, 'failed', code);";
const RELEASED_STEP = "await deps.history.logStep(tx, entry, 'released');";
const STARTED_STEP = "if (entry.waitingSinceMs === null) await deps.history.logStep(tx, entry, 'started');";
const NEWEST = 'const page = await newest(panel, panelSeenMs ?? 0);';

const MUST_WAIT =
  "if (typeof checked === 'object') return { refused: new DomainError('RATE_LIMITED', { retryAfterS: checked.waitS }) };";
const IS_WRONG = "if (checked === 'wrong') return { refused: fieldError('code', 'CODE_WRONG') };";
const TRIES_CLEARED = 'await clearTries(tx, await loadWindows(tx, ctx, typed.device));';

const HEADER_PARTS = "for (const part of accepted.slice(0, 500).split(',')) {";
const CODEC_DATA = "codec.on('data', (bytes: Uint8Array) => encodedParts.push(bytes));";
const CODEC_ERROR_NOTE = '// Whoever awaits the codec gets the error; without a listener it would end the process.';
const CODEC_ERROR = "codec.on('error', () => undefined);";

const CONFIGURED = "let configured = { on: false, text: '', url: '', revision: 0 };";
const NEXT_REVISION = 'configured = { on, text, url, revision: configured.revision + 1 };';
const VPN_VERSION = 'return `${configured.revision} ${uploaded?.atMs ?? 0}`;';
const LIST_TIME = 'const updatedMs = Math.max(clock.now(), (before?.updatedMs ?? 0) + 1);';
const PROVIDER_OFF =
  "if (!termsOf(deps.settings.current(), claim.provider).enabled) throw new DomainError('LINK_UNAVAILABLE');";
const TOO_SOON =
  "if (now < claim.readyMs) throw new DomainError('LINK_TOO_SOON', { retryAfterS: Math.ceil((claim.readyMs - now) / SECOND) });";
const PAID_AT_ONCE =
  'if (!provider.proves) return { done: await storeAnswer(deps, tx, ctx, () => payClaim(deps, tx, ctx, claim, null)) };';
const LINK_BUSY = "if (isBeingChecked(claim, now)) throw new DomainError('LINK_BUSY');";
const PROOF_TAKEN =
  "if (!(await tx.links.addProof({ provider: claim.provider, proofHash, claimId: claim.id, atMs: now }))) throw new DomainError('LINK_NOT_CONFIRMED');";
const BEING_CHECKED = 'await tx.links.change(claim.id, { checkingMs: now });';
const STILL_OPEN = 'assertOpen(deps, claim);';
const PROOF_KEPT = "await tx.links.keepProof(claim.provider, deps.ids.hash(back.proof ?? ''));";

const KNOWN_URL = 'if (url !== null) return { url };';
const DAY_START = 'const startMs = wallTimeToMs(`${day}T00:00`, deps.settings.current().app_timezone) ?? 0;';

const GONE_USER =
  "if (user?.status !== 'active') return closeSide(deps, tx, row, side, { state: 'refused', credits, txId: null });";
const WORTH_NOTHING =
  "if (credits === 0) return closeSide(deps, tx, row, side, { state: 'none', credits, txId: null });";
const NOT_VERIFIED =
  "if (user.verifiedMs === null && deps.asksVerification()) return postpone(deps, tx, row, 'unverified');";
const MONTH_FULL =
  "if (side === 'referrer' && (await hasReachedMonthlyMax(deps, tx, self))) return postpone(deps, tx, row, 'monthly_max');";
const SIDE_PAID = 'await closeSide(deps, tx, row, side, { state: paid.state, credits, txId: paid.txId });';
const SIDE_EVENT =
  "await deps.events.emit(tx, 'referral.paid', { ...reward, side, name: name ?? '', held: paid.state === 'held' });";

const UNKNOWN_CODE =
  "await deps.events.emit(tx, 'referral.code_unknown', { userId, code: newcomer.referral.trim().slice(0, 40) });";
const CHECK_LATER = 'await uow.run((tx) => tx.referrals.change(newcomerId, { nextCheckMs: clock.now() + HOUR }));';
const OWN_REFERRAL = 'own: own && self ? { referral: own, checks: await currentChecks(deps, tx, self) } : null,';

const TRIES = 'for (let attempt = 0; attempt < CODE_TRIES; attempt++) {';
const STILL_MISSING =
  "if ('missing' in finding) { await tx.referrals.change(newcomerId, { nextCheckMs: now + recheckDelay(now - row.createdMs) }); return 'pending'; }";
const REJECTED =
  "if ('rejected' in finding) { await tx.referrals.change(newcomerId, { state: 'rejected', reason: finding.rejected, closedMs: now, network: null, }); return 'rejected'; }";

const OWNER_OF = 'const owner = code.length <= 64 ? await tx.referrals.ownerOf(code) : null;';
const NEWCOMER_GONE = "if (newcomer?.status !== 'active') return { rejected: 'newcomer_gone' };";
const REFERRER_GONE = "if (referrer?.status !== 'active') return { rejected: 'referrer_gone' };";
const CIRCULAR = "if (await isCircular(tx, row)) return { rejected: 'circular' };";
const CHAIN = 'for (let step = 0; above !== null && step < LONGEST_CHAIN; step++) {';
const SAME_DEVICE = "if (await tx.referrals.sharesDevice(row.newcomerId, row.referrerId)) return 'shared_device';";
const SAME_IDENTITY =
  "if ((await deps.sharedIdentities(tx, row.newcomerId)).includes(row.referrerId)) return 'shared_identity';";

const UNSURE =
  "if (finding.kind === 'unknown') return tx.j4r.postponeCheck(claim.id, now + RETRY_MS, claim.unlinkedMs);";
const UNLINKED = "if (finding.kind === 'nobody') return resolveUnlinked(tx, claim, now);";
const UNPROVEN = "if (finding.kind === 'unproven') return resolveUnproven(tx, claim, now);";
const HAS_LEFT = "if (finding.kind === 'left') return clawBack(tx, claim, now);";
const CANCELLED =
  'if (claim.held && (await deps.payout.cancelHeld(tx, claim.reference))) { await emitTakenBack(tx, claim, claim.credits); return tx.j4r.recordClawback(claim.id, claim.credits, claim.txId); }';
const WAS_REJECTED =
  "if (claim.held && (await tx.j4r.heldStates([claim.reference])).get(claim.reference) === 'rejected') return;";
const EMIT_TAKEN = 'await emitTakenBack(tx, claim, await takeFromWallet(tx, claim));';
const EMIT_TAKEN_BACK = 'await emitTakenBack(tx, claim, claim.credits);';

const HEALTHZ = "if (path === '/healthz') return textResponse('ok');";
const ROBOTS_TXT =
  "if (path === '/robots.txt') return textResponse(deps.page ? ROBOTS : 'User-agent: *\\nDisallow: /');";
const READYZ =
  "if (path === '/readyz') return (await deps.ready()) ? textResponse('ready') : textResponse('not ready', 503);";
const NO_PAGES = "if (!deps.page) throw new DomainError('NOT_FOUND');";
const NO_SUCH_METHOD = "if (!isRead && request.method !== 'POST') throw new DomainError('METHOD_NOT_ALLOWED');";
const PROOF_OVER = "if (now >= last) return void (await tx.j4r.end(claim.id, 'kept', now));";
const PROVE_AGAIN = 'await tx.j4r.postponeCheck(claim.id, Math.min(nextCheck(claim, now), last), null);';

const POSTPONE = "if (row?.state === 'qualified') await postpone(deps, tx, row, reason);";

const FIND_BY_LINK = 'const user = await uow.read((tx) => links.findUserByLink(tx, tokenHash, false));';
const LOCK_BY_LINK = 'const user = await links.findUserByLink(tx, tokenHash, true);';
const USED = "const used = user && (await tx.identity.useToken('reset', tokenHash, now));";
const STORED = 'if (!user || !used || !(await tx.identity.setPassword(user.id, hash, user.passwordVersion, now)))';
const CLEAR_OWN = 'await tx.identity.clearAttempts(accountTriesKey(user.id));';
const CLEAR_DEVICES = 'await tx.identity.clearAttemptsUnder(deviceTriesPrefix(user.id));';
const RESET_VERIFIED = "await deps.events.emit(tx, 'user.verified', { userId: user.id }, toSignedIn(ctx, user, ''));";

const J4R_REFUSED = 'if (refusal) throw new DomainError(refusal);';
const J4R_PAID = "if (await tx.j4r.isPaid(guildId, subject, userId)) throw new DomainError('J4R_ALREADY_PAID');";
const ASKED = "if (!asked || !member) throw new DomainError('IDEMPOTENCY_MISMATCH');";
const REVIEW_OWNER = "const owner = decision === 'reject' ? await tx.abuse.findOwner(id) : null;";
const REVIEW_LOCK = 'if (owner) await deps.counters.lock(tx, owner.userId, owner.source);';

const REVIEW_OPEN = "if (held.state !== 'open') throw new DomainError('HOLD_CLOSED');";
const REVIEW_DUE =
  "if (held?.state !== 'open' || held.releaseMs === null || held.releaseMs > clock.now()) return false;";

const CREATED = 'const createdMs = profile?.createdMs ?? 0;';
const IS_MEMBER = "if (answer.kind === 'yes') return { kind: 'member', joinedMs: answer.value.joinedMs };";
const IS_UNKNOWN = "if (answer.kind === 'unknown') return answer;";
const IS_ABSENT = "if (answer.reason === 'absent') return { kind: 'left' };";

const REQUEST_ID = "headers.set('x-request-id', caller.requestId);";
const FORWARDED_FOR = "headers.set('x-forwarded-for', caller.address);";
const LANGUAGE = "headers.set('accept-language', LOCALE_INFO[caller.locale].lang);";
const READ_TIMEOUT =
  'const timeoutMs = !isRead ? callMs : visitor.page ? Math.max(0, deadline - performance.now()) : readMs;';
const IS_READY = 'return (await fetch(`${base}/readyz`, { signal: AbortSignal.timeout(2_000) })).ok;';
const TOO_LARGE = "controller.error(new DomainError('PAYLOAD_TOO_LARGE'));";
const CANCEL_READER = 'await reader.cancel();';

const LOG_LEVELS =
  'const LEVELS = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const satisfies Record<LogLevel, number>;';
const AT_ONCE = "if (name === 'error' || buffer.length > 32_768) flush();";
const LATER = 'else timer ??= setTimeout(flush, 50);';

export const ACCEPTED: readonly Accepted[] = [
  {
    file: 'server/modules/rewards/j4r/findings.ts',
    within: 'findingOf',
    changes: [
      [`${IS_MEMBER} ${IS_UNKNOWN}`, `${IS_UNKNOWN} ${IS_MEMBER}`],
      [`${IS_UNKNOWN} ${IS_ABSENT}`, `${IS_ABSENT} ${IS_UNKNOWN}`],
    ],
    because: 'An answer is of one kind.',
  },
  {
    file: 'server/modules/abuse/scores.ts',
    within: '',
    changes: [
      ['const MAX_CACHED = 100_000;', 'const MAX_CACHED = 100001;'],
      ['const DISCORD_EPOCH = 1_420_070_400_000;', 'const DISCORD_EPOCH = 1420070400001;'],
    ],
    because: 'Only that the memory is bounded matters, and that days are counted.',
  },
  {
    file: 'server/modules/abuse/scores.ts',
    within: 'loadScore',
    changes: [[CREATED, CREATED.replace('?? 0', '?? 1')]],
    because: 'An account that is not there is as old as can be either way.',
  },
  {
    file: 'server/modules/abuse/review.ts',
    within: 'resolveHeldReward',
    changes: [[REVIEW_OPEN, ';']],
    because: 'A hold that is closed refuses by itself; this is the second wall.',
  },
  {
    file: 'server/modules/abuse/review.ts',
    within: 'reviewDue',
    changes: [[REVIEW_DUE, REVIEW_DUE.replace('||', '&&')]],
    because: 'A decided reward has no time of release; were there one, it would be refused as closed.',
  },
  {
    file: 'server/modules/rewards/j4r/service.ts',
    within: 'pay',
    changes: [
      [`${J4R_REFUSED} ${J4R_PAID}`, `${J4R_PAID} ${J4R_REFUSED}`],
      [ASKED, ASKED.replace('||', '&&')],
    ],
    because: 'Where both refuse, either is true; and a member is asked for exactly where there is a candidate.',
  },
  {
    file: 'server/modules/abuse/review.ts',
    within: 'decideLocked',
    changes: [
      [REVIEW_OWNER, REVIEW_OWNER.replace('===', '!==')],
      [REVIEW_LOCK, 'if (owner) ;'],
      [REVIEW_LOCK, REVIEW_LOCK.replace('owner.userId, owner.source', 'owner.source, owner.userId')],
    ],
    because: 'It spares a deadlock, which PostgreSQL ends and which is tried again; the counters lock themselves.',
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
    file: 'server/modules/identity/reset.ts',
    within: 'confirmAddress',
    changes: [[RESET_VERIFIED, RESET_VERIFIED.replace('await ', '')]],
    because: 'An event belongs to the transaction, whose end waits for it.',
  },
  {
    file: 'server/modules/rewards/referrals/pay.ts',
    within: 'postponeLocked',
    changes: [[POSTPONE, POSTPONE.replace('await ', '')]],
    because: 'It is one statement of the transaction, whose end waits for it.',
  },
  {
    file: 'server/http/app.ts',
    within: 'route',
    changes: [
      [`${HEALTHZ} ${ROBOTS_TXT}`, `${ROBOTS_TXT} ${HEALTHZ}`],
      [`${ROBOTS_TXT} ${READYZ}`, `${READYZ} ${ROBOTS_TXT}`],
      [`${NO_PAGES} ${NO_SUCH_METHOD}`, `${NO_SUCH_METHOD} ${NO_PAGES}`],
    ],
    because: 'A path is one of them; and without pages either refusal is true.',
  },
  {
    file: 'server/modules/rewards/j4r/vesting.ts',
    within: 'resolveUnproven',
    changes: [[`${PROOF_OVER} ${PROVE_AGAIN}`, `${PROVE_AGAIN} ${PROOF_OVER}`]],
    because: 'A claim that has ended is not checked again, whatever was put down for it before.',
  },
  {
    file: 'server/modules/rewards/j4r/vesting.ts',
    within: 'resolveClaim',
    changes: [
      [`${UNSURE} ${UNLINKED}`, `${UNLINKED} ${UNSURE}`],
      [`${UNLINKED} ${UNPROVEN}`, `${UNPROVEN} ${UNLINKED}`],
      [`${UNPROVEN} ${HAS_LEFT}`, `${HAS_LEFT} ${UNPROVEN}`],
    ],
    because: 'A finding is of one kind.',
  },
  {
    file: 'server/modules/rewards/j4r/clawback.ts',
    within: 'clawBack',
    changes: [
      [`${CANCELLED} ${WAS_REJECTED}`, `${WAS_REJECTED} ${CANCELLED}`],
      [EMIT_TAKEN_BACK, EMIT_TAKEN_BACK.replace('await ', '')],
      [EMIT_TAKEN, EMIT_TAKEN.replace('await ', '')],
    ],
    because: 'What was rejected is on hold no more; and an event belongs to the transaction, whose end waits for it.',
  },
  {
    file: 'server/modules/rewards/referrals/codes.ts',
    within: 'findOwner',
    changes: [
      [OWNER_OF, OWNER_OF.replace('<=', '<')],
      [OWNER_OF, OWNER_OF.replace('64', '65')],
    ],
    because: 'A code has eight characters; the bound only spares the database nonsense.',
  },
  {
    file: 'server/modules/rewards/referrals/evaluate.ts',
    within: '',
    changes: [
      ['const SEEN_WITHIN = 90 * DAY;', 'const SEEN_WITHIN = 91 * DAY;'],
      ['const LONGEST_CHAIN = 50;', 'const LONGEST_CHAIN = 51;'],
    ],
    because: 'A day or a step more is no harm.',
  },
  {
    file: 'server/modules/rewards/referrals/evaluate.ts',
    within: 'evaluateReferral',
    changes: [
      [`${NEWCOMER_GONE} ${REFERRER_GONE}`, `${REFERRER_GONE} ${NEWCOMER_GONE}`],
      [`${REFERRER_GONE} ${CIRCULAR}`, `${CIRCULAR} ${REFERRER_GONE}`],
    ],
    because: 'Where both are so, either reason is true.',
  },
  {
    file: 'server/modules/rewards/referrals/evaluate.ts',
    within: 'isCircular',
    changes: [
      [CHAIN, CHAIN.replace('= 0', '= 1')],
      [CHAIN, CHAIN.replace('<', '<=')],
    ],
    because: 'A step more or less of fifty is no harm.',
  },
  {
    file: 'server/modules/rewards/referrals/evaluate.ts',
    within: 'findSharedSign',
    changes: [
      [`${SAME_DEVICE} ${SAME_IDENTITY}`, `${SAME_IDENTITY} ${SAME_DEVICE}`],
      [SAME_DEVICE, SAME_DEVICE.replace('row.newcomerId, row.referrerId', 'row.referrerId, row.newcomerId')],
    ],
    because: 'Where both are so, either reason is true; and who shares a device with somebody shares it both ways.',
  },
  {
    file: 'server/modules/rewards/referrals/codes.ts',
    within: '',
    changes: [['const CODE_TRIES = 5;', 'const CODE_TRIES = 6;']],
    because: 'Two random codes that are alike are a miracle; how many tries follow does not matter.',
  },
  {
    file: 'server/modules/rewards/referrals/codes.ts',
    within: 'codeFor',
    changes: [
      [TRIES, TRIES.replace('= 0', '= 1')],
      [TRIES, TRIES.replace('<', '<=')],
    ],
    because: 'Two random codes that are alike are a miracle; how many tries follow does not matter.',
  },
  {
    file: 'server/modules/rewards/referrals/service.ts',
    within: 'decideReferral',
    changes: [[`${STILL_MISSING} ${REJECTED}`, `${REJECTED} ${STILL_MISSING}`]],
    because: 'A finding is one of them.',
  },
  {
    file: 'server/modules/rewards/referrals/service.ts',
    within: 'addReferral',
    changes: [[UNKNOWN_CODE, UNKNOWN_CODE.replace('await ', '')]],
    because: 'An event belongs to the transaction, whose end waits for it.',
  },
  {
    file: 'server/modules/rewards/referrals/service.ts',
    within: 'checkDue',
    changes: [[CHECK_LATER, CHECK_LATER.replace('await ', '')]],
    because: 'The next run of the task comes long after this has been written.',
  },
  {
    file: 'server/modules/rewards/referrals/service.ts',
    within: 'page',
    changes: [[OWN_REFERRAL, OWN_REFERRAL.replace('&&', '||')]],
    because: 'Whoever asks for their page is a user: one is there exactly where the other is.',
  },
  {
    file: 'server/modules/rewards/referrals/service.ts',
    within: 'check',
    changes: [["if (state !== 'qualified') return;", ';']],
    because: 'Whoever pays looks again, under a lock; this saves two transactions.',
  },
  {
    file: 'server/modules/rewards/referrals/pay.ts',
    within: 'payOnce',
    changes: [
      [`${GONE_USER} ${WORTH_NOTHING}`, `${WORTH_NOTHING} ${GONE_USER}`],
      [`${WORTH_NOTHING} ${NOT_VERIFIED}`, `${NOT_VERIFIED} ${WORTH_NOTHING}`],
      [`${NOT_VERIFIED} ${MONTH_FULL}`, `${MONTH_FULL} ${NOT_VERIFIED}`],
      [`${SIDE_PAID} ${SIDE_EVENT}`, `${SIDE_EVENT} ${SIDE_PAID}`],
      [SIDE_PAID, SIDE_PAID.replace('await ', '')],
    ],
    because:
      'Where two of them hold either is true, and nothing is paid; what follows a payment belongs to one transaction, whose end waits for it.',
  },
  {
    file: 'server/modules/rewards/links/start.ts',
    within: 'lockForLink',
    changes: [
      [`${KNOWN_URL} ${LINK_BUSY}`, `${LINK_BUSY} ${KNOWN_URL}`],
      [
        `${LINK_BUSY} ${BEING_CHECKED.replace('claim.id', 'claimId')}`,
        `${BEING_CHECKED.replace('claim.id', 'claimId')} ${LINK_BUSY}`,
      ],
    ],
    because: 'A claim with a link is not being checked any more; and what refuses undoes the mark.',
  },
  {
    file: 'server/modules/rewards/links/views.ts',
    within: '',
    changes: [['const HISTORY = 20;', 'const HISTORY = 21;']],
    because: 'A line more of the history is no harm.',
  },
  {
    file: 'server/modules/rewards/links/views.ts',
    within: 'usageToday',
    changes: [[DAY_START, DAY_START.replace('?? 0', '?? 1')]],
    because: 'Every day has a beginning.',
  },
  {
    file: 'server/modules/abuse/vpn-list.ts',
    within: 'createVpnList',
    changes: [
      [CONFIGURED, CONFIGURED.replace('false', 'true')],
      [CONFIGURED, CONFIGURED.replace('revision: 0', 'revision: 1')],
    ],
    because: 'Only that the versions differ counts.',
  },
  {
    file: 'server/modules/abuse/vpn-list.ts',
    within: 'version',
    changes: [
      [NEXT_REVISION, NEXT_REVISION.replace('+ 1', '- 1')],
      [NEXT_REVISION, NEXT_REVISION.replace('+ 1', '+ 2')],
      [VPN_VERSION, VPN_VERSION.replace('?? 0', '?? 1')],
    ],
    because: 'Only that the versions differ counts.',
  },
  {
    file: 'server/modules/abuse/vpn-list.ts',
    within: 'upload',
    changes: [[LIST_TIME, LIST_TIME.replace('?? 0', '?? 1')]],
    because: 'No list is uploaded in the first milliseconds of 1970.',
  },
  {
    file: 'server/modules/rewards/links/finish.ts',
    within: 'checkReturn',
    changes: [
      [`${PROVIDER_OFF} ${TOO_SOON}`, `${TOO_SOON} ${PROVIDER_OFF}`],
      [`${PAID_AT_ONCE} ${LINK_BUSY}`, `${LINK_BUSY} ${PAID_AT_ONCE}`],
      [`${PROOF_TAKEN} ${BEING_CHECKED}`, `${BEING_CHECKED} ${PROOF_TAKEN}`],
    ],
    because:
      'Where both refuse, either is true; nobody comes back while the link of their claim is being made; and what refuses undoes the mark.',
  },
  {
    file: 'server/modules/rewards/links/finish.ts',
    within: 'payVerified',
    changes: [[`${STILL_OPEN} ${PROOF_KEPT}`, `${PROOF_KEPT} ${STILL_OPEN}`]],
    because: 'Both belong to one transaction, and what refuses undoes the other.',
  },
  {
    file: 'server/http/transport.ts',
    within: '',
    changes: [
      ['const CALL_TIMEOUT_MS = 15_000;', 'const CALL_TIMEOUT_MS = 15001;'],
      ['export const READ_TIMEOUT_MS = 2_500;', 'export const READ_TIMEOUT_MS = 2501;'],
    ],
    because: 'Nobody notices a millisecond more.',
  },
  {
    file: 'server/http/transport.ts',
    within: 'ready',
    changes: [[IS_READY, IS_READY.replace('2_000', '2001')]],
    because: 'Nobody notices a millisecond more.',
  },
  {
    file: 'server/http/transport.ts',
    within: 'send',
    changes: [
      [`${REQUEST_ID} ${FORWARDED_FOR}`, `${FORWARDED_FOR} ${REQUEST_ID}`],
      [`${FORWARDED_FOR} ${LANGUAGE}`, `${LANGUAGE} ${FORWARDED_FOR}`],
    ],
    because: 'Headers have no order.',
  },
  {
    file: 'server/http/transport.ts',
    within: 'fetcher',
    changes: [[READ_TIMEOUT, READ_TIMEOUT.replace('0,', '1,')]],
    because: 'Nothing is left of the time either way.',
  },
  {
    file: 'server/http/transport.ts',
    within: 'pull',
    changes: [
      [`${TOO_LARGE} ${CANCEL_READER}`, `${CANCEL_READER} ${TOO_LARGE}`],
      [CANCEL_READER, 'reader.cancel();'],
    ],
    because: 'Both happen, and nobody waits for the end of either.',
  },
  {
    file: 'server/http/compress.ts',
    within: 'chooseCoding',
    changes: [[HEADER_PARTS, HEADER_PARTS.replace('500', '501')]],
    because: 'Only that the header is not read without end matters.',
  },
  {
    file: 'server/http/compress.ts',
    within: 'encodeStream',
    changes: [
      [`${CODEC_DATA} ${CODEC_ERROR_NOTE} ${CODEC_ERROR}`, `${CODEC_ERROR} ${CODEC_ERROR_NOTE} ${CODEC_DATA}`],
      [CODEC_ERROR, 'codec;'],
      [CODEC_ERROR, ';'],
    ],
    because:
      'They listen to different events; and a codec fails only after it was destroyed, which is the second wall.',
  },
  {
    file: 'server/http/compress.ts',
    within: 'pull',
    changes: [
      ['if (codec.destroyed) return;', ';'],
      ['codec.destroy();', ';'],
    ],
    because: 'A stream that was cancelled or failed takes no part; this saves the attempt, and frees the codec sooner.',
  },
  {
    file: 'server/http/compress.ts',
    within: 'cancel',
    changes: [['codec.destroy();', ';']],
    because: 'The codec goes with the stream; this frees it sooner.',
  },
  {
    file: 'server/http/log.ts',
    within: '',
    changes: [[LOG_LEVELS, LOG_LEVELS.replace('4', '5')]],
    because: 'Only the order of the levels counts, and nothing is logged at the last.',
  },
  {
    file: 'server/http/log.ts',
    within: 'line',
    changes: [
      [AT_ONCE, AT_ONCE.replace('>', '>=')],
      [AT_ONCE, AT_ONCE.replace('32_768', '32769')],
      [LATER, LATER.replace('50', '51')],
    ],
    because: 'A character or a millisecond more before lines are written changes nothing that anybody notices.',
  },
  {
    file: 'server/modules/identity/factor-proof.ts',
    within: 'withCode',
    changes: [[`${MUST_WAIT} ${IS_WRONG}`, `${IS_WRONG} ${MUST_WAIT}`]],
    because: 'A code is either wrong or has to wait, never both.',
  },
  {
    file: 'server/modules/identity/factor-codes.ts',
    within: 'checkCode',
    changes: [[TRIES_CLEARED, TRIES_CLEARED.replace('await ', '')]],
    because: 'Every command that takes a code asks more of the same transaction afterwards than the three counters do.',
  },
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
    file: 'server/modules/rewards/j4r/clawback.ts',
    within: 'takeFromWallet',
    changes: [
      [`${TAKERS_LOCK} ${IN_DEBT}`, `${IN_DEBT} ${TAKERS_LOCK}`],
      [TAKERS_LOCK, 'await tx.ledger.lock([wallet]);'],
      [TAKERS_LOCK, 'await tx.ledger.lock([`debt:${userId}`]);'],
    ],
    because:
      'As in `returnCredits`; a debt that comes in between leaves no wallet, and from a blocked one nothing is moved.',
  },
  {
    file: 'server/modules/rewards/counters/days.ts',
    within: 'dayEnd',
    changes: [
      [CACHED, ';'],
      [CACHED, CACHED.replace('>', '>=')],
      ['ends.set(timeZone, { day, end });', ';'],
    ],
    because: 'Without its last answer it searches again and finds the same.',
  },
  {
    file: 'server/http/authorize.ts',
    within: 'requireAccess',
    changes: [[`${FORBIDDEN} ${UNVERIFIED}`, `${UNVERIFIED} ${FORBIDDEN}`]],
    because: 'No endpoint asks for a permission of staff and for a verified address (tests/specification/access.ts).',
  },
  {
    file: 'server/http/input.ts',
    within: 'parseQuery',
    changes: [
      [QUERY, QUERY.replace('< 0', '<= 0')],
      [QUERY, QUERY.replace('< 0', '< 1')],
    ],
    because: 'The address of a request begins with its protocol, so that no question mark is its first sign.',
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
    file: 'server/http/peer.ts',
    within: 'addressKey',
    changes: [["if (!address.includes(':')) return address;", ';']],
    because: 'An IPv4 address is written again as it was, only not as quickly.',
  },
  {
    file: 'server/http/body.ts',
    within: 'readBytes',
    changes: [[`${DECLARED} ${EMPTY}`, `${EMPTY} ${DECLARED}`]],
    because: 'A request whose length is declared has a body.',
  },
  {
    file: 'server/http/respond.ts',
    within: 'toResponseFields',
    changes: [[KEPT, KEPT.replace('&&', '||')]],
    because: 'What does not fit has no data, and JSON leaves out a field without a value.',
  },
  {
    file: 'server/http/sse.ts',
    within: 'stop',
    changes: [['if (!open) return;', ';']],
    because: 'Who ends a stream takes the other ways to end it away; this is the second wall.',
  },
  {
    file: 'server/http/sse.ts',
    within: 'pull',
    changes: [['if (!open) return;', ';']],
    because: 'A stream that has ended takes no event; this saves the attempt.',
  },
  {
    file: 'server/api/live.ts',
    within: 'checkSession',
    changes: [["enqueue('session'); end();", "end(); enqueue('session');"]],
    because: 'Nobody reads between the two: the stream gives what waits before it ends.',
  },
  {
    file: 'server/jobs/lease.ts',
    within: 'leaseByTime',
    changes: [
      ['let next = 0;', 'let next = 1;'],
      [GROUP, GROUP.replace('[0, []]', '[1, []]')],
    ],
    because: 'Which group comes first does not matter where all take turns; and there is always one at a place.',
  },
  {
    file: 'server/jobs/runner.ts',
    within: 'poolLoop',
    changes: [[POOL, POOL.replace('started: false', 'started: true')]],
    because: 'Nobody requests a poll of a pool before it is started.',
  },
  {
    file: 'server/jobs/runner.ts',
    within: 'requestPoll',
    changes: [[REQUESTED, REQUESTED.replace(' requestPoll();', ' ;')]],
    because: 'The next second requests one as well; this only makes a job that came just then begin sooner.',
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
    file: 'server/data/repos/jobs.ts',
    within: 'add',
    changes: [['line?.priority ?? 0,', 'line?.priority ?? 1,']],
    because: 'Jobs that stand in no line are picked by their time alone.',
  },
  {
    file: 'server/http/rate-limit.ts',
    within: 'take',
    changes: [[WAIT, WAIT.replace('/ 1000', '/ 1001')]],
    because: 'Rounded up to whole seconds it is the same for every window up to 1000 seconds, and none is longer.',
  },
  {
    file: 'server/modules/ledger/faults.ts',
    within: 'recordFaults',
    changes: [[FRESH_FAULT, FRESH_FAULT.replace('+= 1', '+= 2')]],
    because: 'It only counts whether there is a new one.',
  },
  {
    file: 'server/modules/servers/builds/worker.ts',
    within: 'pollInstall',
    changes: [
      [BACK, BACK.replace('>', '>=')],
      [`${READY} ${INSTALL_FAILED}`, `${INSTALL_FAILED} ${READY}`],
      [SPOKE, SPOKE.replace("|| read.outcome === 'conflict'", "&& read.outcome === 'conflict'")],
    ],
    because:
      'No outage is ended where none is named; a server is in one state; and what was not found, or is somebody else’s, is no outage.',
  },
  {
    file: 'server/modules/servers/builds/leased-entry.ts',
    within: 'logLeasedSteps',
    changes: [['await deps.history.logSteps(tx, entry, codes);', 'deps.history.logSteps(tx, entry, codes);']],
    because: 'It is one statement of the transaction, whose end waits for it.',
  },
  {
    file: 'server/modules/servers/builds/build.ts',
    within: 'build',
    changes: [[`${OWNER_BANNED} ${CATALOG_GONE}`, `${CATALOG_GONE} ${OWNER_BANNED}`]],
    because: 'Where both are so, either reason is true.',
  },
  {
    file: 'server/modules/servers/outages/outages.ts',
    within: 'causeOfFailure',
    changes: [[`${KEY_OR_REFUSAL} ${UNAVAILABLE}`, `${UNAVAILABLE} ${KEY_OR_REFUSAL}`]],
    because: 'An answer has one outcome.',
  },
  {
    file: 'server/modules/servers/outages/outages.ts',
    within: 'startOutage',
    changes: [[OUTAGE_PAUSE, OUTAGE_PAUSE.replace('10)', '11)')]],
    because: 'The minute is reached long before; the bound only keeps the number small.',
  },
  {
    file: 'server/modules/servers/builds/finish.ts',
    within: 'failBuild',
    changes: [
      [FAILED_STEP, FAILED_STEP.replace('await ', '')],
      [RELEASED_STEP, RELEASED_STEP.replace('await ', '')],
    ],
    because: 'A step is one statement of the transaction, whose end waits for it.',
  },
  {
    file: 'server/modules/servers/builds/begin.ts',
    within: 'beginAttempt',
    changes: [[STARTED_STEP, STARTED_STEP.replace('await ', '')]],
    because: 'It is one statement of the transaction, whose end waits for it.',
  },
  {
    file: 'server/modules/servers/builds/installs.ts',
    within: 'createInstallReader',
    changes: [[NEWEST, NEWEST.replace('?? 0', '?? 1')]],
    because: 'No page was read in the first millisecond of 1970.',
  },
  {
    file: 'server/modules/servers/builds/build.ts',
    within: 'adopt',
    changes: [
      [`${ADOPTED} ${CONFIRM}`, `${CONFIRM} ${ADOPTED}`],
      [`${CONFIRM} ${MADE_STEPS}`, `${MADE_STEPS} ${CONFIRM}`],
    ],
    because: 'They write to different tables in one transaction, and none reads what the other wrote.',
  },
  {
    file: 'server/modules/servers/builds/build.ts',
    within: 'relocateBuild',
    changes: [[RELOCATES, RELOCATES.replace('false', 'true')]],
    because: 'What follows keeps the lease once more before the panel is asked.',
  },
  {
    file: 'server/modules/abuse/score.ts',
    within: 'codeReason',
    changes: [
      [CODE_WEIGHS, CODE_WEIGHS.replace('+', '-')],
      [CODE_COUNT, CODE_COUNT.replace('>=', '>')],
    ],
    because: 'No number of points of a device is one of an address, but for nothing, which weighs nothing.',
  },
  {
    file: 'server/modules/rewards/afk/trigger.ts',
    within: 'resumeReader',
    changes: [['resume = null;', ';']],
    because: 'Who has been resumed is not resumed by a second call.',
  },
];

/** Whether a fault is one of those that may survive. */
export function isAccepted({ file, within, from, to }: Pick<Mutant, 'file' | 'within' | 'from' | 'to'>): boolean {
  return ACCEPTED.some(
    (each) =>
      each.file === file &&
      each.within === within &&
      each.changes.some(([before, after]) => before === from && after === to),
  );
}
