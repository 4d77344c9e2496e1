import type { Accepted } from './accepted.types.ts';

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

export const REFERRALS: readonly Accepted[] = [
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
    ],
    because:
      'Where two of them hold either is true, and nothing is paid; a payment and its event belong to one transaction.',
  },
];
