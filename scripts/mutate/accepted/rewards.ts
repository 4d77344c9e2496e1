import type { Accepted } from './accepted.types.ts';

const TAKERS_LOCK = 'await tx.ledger.lock([`debt:${userId}`, wallet]);';
const IN_DEBT = 'if ((await tx.ledger.balance(`debt:${userId}`)) !== 0) return 0;';
const CACHED = 'if (known?.day === day && known.end > ms) return known.end;';
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
const UNSURE =
  "if (finding.kind === 'unknown') return tx.j4r.postponeCheck(claim.id, now + RETRY_MS, claim.unlinkedMs);";
const UNLINKED = "if (finding.kind === 'nobody') return resolveUnlinked(tx, claim, now);";
const UNPROVEN = "if (finding.kind === 'unproven') return resolveUnproven(tx, claim, now);";
const HAS_LEFT = "if (finding.kind === 'left') return clawBack(tx, claim, now);";
const CANCELLED =
  'if (claim.held && (await deps.payout.cancelHeld(tx, claim.reference))) { await emitClawedBack(tx, claim, claim.credits); return tx.j4r.recordClawback(claim.id, claim.credits, claim.txId); }';
const WAS_REJECTED =
  "if (claim.held && (await tx.j4r.heldStates([claim.reference])).get(claim.reference) === 'rejected') return;";
const PROOF_OVER = "if (now >= last) return void (await tx.j4r.end(claim.id, 'kept', now));";
const PROVE_AGAIN = 'await tx.j4r.postponeCheck(claim.id, Math.min(nextCheck(claim, now), last), null);';
const J4R_REFUSED = 'if (refusal) throw new DomainError(refusal);';
const J4R_PAID = "if (await tx.j4r.isPaid(guildId, subject, userId)) throw new DomainError('J4R_ALREADY_PAID');";
const ASKED = "if (!asked || !member) throw new DomainError('IDEMPOTENCY_MISMATCH');";
const IS_MEMBER = "if (answer.kind === 'yes') return { kind: 'member', joinedMs: answer.value.joinedMs };";
const IS_UNKNOWN = "if (answer.kind === 'unknown') return answer;";
const IS_ABSENT = "if (answer.reason === 'absent') return { kind: 'left' };";
const SEEN_OVER = 'if (seen.over) return [...news, endedEvent(seen.row)];';
const HAS_REASON = 'if (seen.reason) return [...news, endedEvent({ endReason: seen.reason, takenBy: null })];';
const NO_NEXT = 'if (seen.next === null) return news;';
const BALANCE_READ =
  'const balance = row && row.minutes > live.minutes ? await deps.ledger.balance(tx, `user:${live.userId}`) : 0;';
const OVER = 'const seen = { row, balance, unanswered: 0, over: true, reason: null, next: null };';
const IS_OVER = 'if (seen.over) return seen;';
const NOT_DUE = 'if (seen.reason || !due) return seen;';
const OVERTAKEN = 'return { ...seen, over: true, row: await tx.afk.find(live.id) };';
const IS_DISABLED = "if (!settings.current().afk_enabled) return 'disabled';";
const IS_STOPPED = "if (!loggedIn) return 'stopped';";

export const REWARDS: readonly Accepted[] = [
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
    file: 'server/modules/rewards/j4r/service.ts',
    within: 'pay',
    changes: [
      [`${J4R_REFUSED} ${J4R_PAID}`, `${J4R_PAID} ${J4R_REFUSED}`],
      [ASKED, ASKED.replace('||', '&&')],
    ],
    because: 'Where both refuse, either is true; and a member is asked for exactly where there is a candidate.',
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
    changes: [[`${CANCELLED} ${WAS_REJECTED}`, `${WAS_REJECTED} ${CANCELLED}`]],
    because: 'What was rejected is on hold no more.',
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
    file: 'server/modules/rewards/afk/trigger.ts',
    within: 'resumeReader',
    changes: [['resume = null;', ';']],
    because: 'Who has been resumed is not resumed by a second call.',
  },
  {
    file: 'server/modules/rewards/afk/stream.ts',
    within: 'nextEvents',
    changes: [[`${SEEN_OVER} ${HAS_REASON}`, `${HAS_REASON} ${SEEN_OVER}`]],
    because: 'A session that is over has no reason to end any more.',
  },
  {
    file: 'server/modules/rewards/afk/stream.ts',
    within: 'nextEvents',
    changes: [
      [`${HAS_REASON} ${NO_NEXT}`, `${NO_NEXT} ${HAS_REASON}`],
      [HAS_REASON, ';'],
      [HAS_REASON, 'if (seen.reason) return [...news];'],
    ],
    because: 'Ending the session is published to its own stream, whose next look finds it over and says so.',
  },
  {
    file: 'server/modules/rewards/afk/stream.ts',
    within: 'readSession',
    changes: [
      [BALANCE_READ, BALANCE_READ.replace('row && row', 'row || row')],
      [BALANCE_READ, BALANCE_READ.replace('minutes >', 'minutes >=')],
      [BALANCE_READ, BALANCE_READ.replace(': 0;', ': 1;')],
      [OVER, OVER.replace('unanswered: 0', 'unanswered: 1')],
    ],
    because: 'The balance is shown only where something was paid since; of a session that is over nothing is counted.',
  },
  {
    file: 'server/modules/rewards/afk/stream.ts',
    within: 'advanceSession',
    changes: [
      [IS_OVER, ';'],
      [NOT_DUE, ';'],
      [NOT_DUE, NOT_DUE.replace('||', '&&')],
      [OVERTAKEN, OVERTAKEN.replace('true', 'false')],
    ],
    because:
      'A challenge is put in force only over the one that the stream gave last, in a session that runs: elsewhere the database refuses, and the next look finds the session over.',
  },
  {
    file: 'server/modules/rewards/afk/stream.ts',
    within: 'reasonToEnd',
    changes: [[`${IS_DISABLED} ${IS_STOPPED}`, `${IS_STOPPED} ${IS_DISABLED}`]],
    because: 'Where both are so, either reason is true.',
  },
];
