import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Tests of a part of the product, the quick ones first: what one stage finds, the next is not asked about. */
type Stages = readonly (readonly string[])[];

const PAYMENTS: Stages = [
  ['tests/api/payments-orders.test.ts', 'tests/api/payments.test.ts', 'tests/api/payments-unmatched.test.ts'],
  ['tests/api/payments-unsettled.test.ts', 'tests/api/payments-paypal.test.ts', 'tests/api/payments-books.test.ts'],
  ['tests/conformance/payment-rights.test.ts', 'tests/api/second-wall.test.ts'],
];
const BUILDS: Stages = [
  ['tests/api/servers-create.test.ts', 'tests/api/servers-line.test.ts'],
  ['tests/api/servers-debt.test.ts', 'tests/api/servers-queue.test.ts', 'tests/api/servers-panels.test.ts'],
  ['tests/api/servers-outage.test.ts'],
  ['tests/api/servers-kill.test.ts'],
  ['tests/api/servers-http.test.ts', 'tests/conformance/servers.test.ts'],
];
const VPN: Stages = [['server/modules/abuse/signals.test.ts', 'server/abuse/vpn-provider.test.ts']];
const SESSIONS: Stages = [
  ['tests/api/session.test.ts', 'tests/api/account.test.ts'],
  ['tests/api/auth.test.ts', 'tests/api/two-factor.test.ts', 'tests/api/reset.test.ts'],
  ['tests/api/two-factor-on.test.ts', 'tests/api/shared-address.test.ts', 'tests/api/side-doors.test.ts'],
];
const SECOND_FACTOR: Stages = [['server/modules/identity/two-factor.test.ts'], ['tests/api/two-factor.test.ts']];
const PASSKEYS: Stages = [['tests/api/passkeys.test.ts', 'tests/api/passkeys-at-once.test.ts']];
const STEP_UP: Stages = [...PASSKEYS, ['tests/api/confirmation.test.ts', 'tests/api/zero-trust.test.ts']];
const CONFIRMATION: Stages = [['server/modules/identity/verify.test.ts'], ['tests/api/mail.test.ts']];
const RESET: Stages = [['server/modules/identity/reset.test.ts'], ['tests/api/reset.test.ts']];
const LEDGER: Stages = [
  ['tests/conformance/ledger.test.ts'],
  ['tests/conformance/ledger-statement.test.ts', 'tests/api/payments-unmatched.test.ts'],
];
const ACCRUALS: Stages = [['server/modules/rewards/afk/accruals.test.ts'], ['tests/api/afk.test.ts']];
const ARCHIVE: Stages = [
  ['tests/conformance/ledger-archive-runs.test.ts', 'tests/conformance/ledger-archive-blocks.test.ts'],
  ['tests/conformance/ledger-archive.test.ts'],
];
const JOBS: Stages = [
  ['tests/conformance/jobs.test.ts', 'tests/conformance/job-line.test.ts', 'tests/conformance/scheduler.test.ts'],
];
const PIPELINE: Stages = [
  ['tests/api/pipeline.test.ts', 'tests/api/second-wall.test.ts'],
  ['tests/api/guards.test.ts'],
];
const HTTP: Stages = [
  ['tests/api/system.test.ts', 'tests/api/session.test.ts'],
  ['tests/api/guards.test.ts', 'tests/api/hostile-input.test.ts'],
];

/**
 * Which tests belong to what, by how a path begins; the longest beginning counts. The file's own test, or else those of
 * its folder where the table does not name the file, come first anyway. Names that are not there are left out.
 */
export const SUITES: Readonly<Record<string, Stages>> = {
  'server/modules/api-tokens/': [['server/modules/api-tokens/service.test.ts'], ['tests/api/api-tokens.test.ts']],
  'server/http/viewing-endpoints.ts': [['tests/api/viewing-rights.test.ts'], ['tests/api/viewing.test.ts']],
  'server/http/token-endpoints.ts': [['tests/api/token-rights.test.ts']],
  'server/modules/ledger/': LEDGER,
  'server/modules/ledger/accruals.ts': ACCRUALS,
  'server/modules/ledger/archive.ts': ARCHIVE,
  'server/data/repos/ledger-archive': ARCHIVE,
  'server/data/repos/ledger-blocks.ts': ARCHIVE,
  'server/modules/ledger/append.ts': [...LEDGER, ...ACCRUALS],
  'server/modules/ledger/prove.ts': [['tests/api/ledger-faults.test.ts']],
  'server/modules/ledger/faults.ts': [['tests/api/ledger-faults.test.ts']],
  'server/data/repos/ledger': LEDGER,
  'server/modules/payments/': PAYMENTS,
  'server/modules/store/': [['tests/api/store.test.ts', 'tests/api/confirmation.test.ts']],
  'server/modules/gifts/': [['tests/api/community.test.ts', 'tests/api/confirmation.test.ts']],
  'server/modules/images/': [
    ['tests/api/image-limits.test.ts'],
    ['tests/api/images.test.ts', 'tests/api/image-programs.test.ts', 'tests/api/image-reports.test.ts'],
  ],
  'server/modules/imports/undo.ts': [
    ['tests/imports/undo.test.ts'],
    ['tests/api/admin/imports.test.ts', 'tests/imports/sources.test.ts', 'tests/imports/servers.test.ts'],
  ],
  'server/modules/imports/': [
    ['tests/imports/people.test.ts'],
    ['tests/imports/sources.test.ts', 'tests/imports/servers.test.ts', 'tests/imports/cli.test.ts'],
  ],
  'server/modules/rewards/afk/': [['tests/api/afk.test.ts']],
  'server/modules/rewards/counters/': [['server/modules/rewards/redeem', 'server/modules/rewards/afk']],
  'server/modules/rewards/payout/': [
    ['server/modules/rewards/redeem', 'tests/api/j4r-held.test.ts'],
    ['server/modules/abuse/held.test.ts', 'server/modules/abuse/held-decisions.test.ts'],
  ],
  'server/modules/rewards/j4r/': [
    ['tests/api/j4r-held.test.ts'],
    ['tests/api/j4r-vesting.test.ts'],
    ['tests/api/j4r.test.ts'],
  ],
  'server/modules/rewards/links/': [['tests/api/links.test.ts', 'tests/api/links-page.test.ts']],
  'server/modules/rewards/redeem/': [
    ['tests/api/redeem.test.ts', 'tests/api/attacks-at-once.test.ts'],
    ['tests/api/second-wall.test.ts'],
  ],
  'server/modules/rewards/referrals/': [['tests/api/referrals.test.ts'], ['tests/api/verification-reward.test.ts']],
  'server/modules/permit.ts': [
    ['tests/api/second-wall.test.ts'],
    ['tests/api/admin/rights.test.ts', 'tests/api/admin/users.test.ts'],
  ],
  'server/modules/access/': [
    ['tests/api/admin/roles.test.ts'],
    ['tests/api/admin/rights.test.ts', 'tests/api/admin/permissions.test.ts'],
    SESSIONS[0] ?? [],
  ],
  'server/modules/limits/': [['tests/api/servers-create.test.ts'], ['tests/api/servers-change.test.ts']],
  'server/modules/identity/': SESSIONS,
  'server/modules/identity/bans.ts': [['tests/api/session.test.ts']],
  'server/modules/identity/factor-tries.ts': SECOND_FACTOR,
  'server/modules/identity/account.ts': [['tests/api/account.test.ts']],
  'server/modules/identity/session-view.ts': [['tests/api/two-factor-on.test.ts']],
  'server/modules/identity/factor-codes.ts': SECOND_FACTOR,
  'server/modules/identity/factor-setup.ts': SECOND_FACTOR,
  'server/modules/identity/recovery-codes.ts': SECOND_FACTOR,
  'server/modules/identity/two-factor.ts': [
    ['tests/api/two-factor.test.ts'],
    ['tests/api/staff-ways.test.ts', 'tests/api/passkeys.test.ts'],
  ],
  'server/modules/identity/confirmation.ts': STEP_UP,
  'server/modules/identity/confirmed.ts': STEP_UP,
  'server/modules/passkeys/challenges.ts': PASSKEYS,
  'server/modules/passkeys/enrol.ts': PASSKEYS,
  'server/modules/passkeys/proofs.ts': PASSKEYS,
  'server/modules/passkeys/service.ts': PASSKEYS,
  'server/identity-providers/webauthn.ts': [['server/identity-providers/webauthn.test.ts'], ...PASSKEYS],
  'server/modules/identity/login.ts': [['tests/api/auth.test.ts']],
  'server/modules/identity/pending.ts': CONFIRMATION,
  'server/modules/identity/register.ts': [['tests/api/auth.test.ts']],
  'server/modules/identity/setup.ts': [['server/modules/identity/register.test.ts'], ['tests/api/auth.test.ts']],
  'server/modules/identity/viewing.ts': [['tests/api/viewing.test.ts']],
  'server/modules/identity/verify.ts': [['tests/api/mail.test.ts']],
  'server/modules/identity/reset.ts': [['tests/api/reset.test.ts']],
  'server/modules/identity/reset-links.ts': RESET,
  'server/modules/retention.ts': [['tests/api/retention.test.ts', 'tests/api/audit-retention.test.ts']],
  'server/api/session-cookies.ts': SESSIONS,
  'server/api/auth.ts': [['tests/api/auth.test.ts']],
  'server/api/session.ts': [['tests/api/session.test.ts'], ['tests/api/two-factor.test.ts']],
  'server/api/live.ts': [['tests/api/session.test.ts']],
  'server/jobs/': JOBS,
  'server/data/repos/jobs': JOBS,
  'server/modules/jobs/': JOBS,
  'server/modules/servers/builds/': BUILDS,
  'server/modules/servers/builds/staff-queue.ts': [
    ['tests/api/servers-queue.test.ts'],
    ['tests/api/staff-servers.test.ts', 'tests/api/staff-servers-at-once.test.ts'],
    ['tests/api/servers-http.test.ts'],
  ],
  'server/modules/servers/core/access.ts': [
    ['tests/api/subusers.test.ts', 'tests/api/servers-as-staff.test.ts'],
    ['tests/api/server-rights.test.ts'],
  ],
  'server/modules/servers/lifecycle/': [
    ['tests/api/servers-create.test.ts', 'tests/api/servers-change.test.ts', 'tests/api/servers.test.ts'],
    ['tests/conformance/servers.test.ts', 'tests/api/servers-http.test.ts'],
  ],
  'server/modules/servers/lifecycle/ban.ts': [['tests/api/servers-ban.test.ts']],
  'server/modules/servers/lifecycle/expiry.ts': [
    ['tests/api/servers-expiry.test.ts'],
    ['tests/api/servers-renew.test.ts'],
  ],
  'server/modules/servers/lifecycle/renew.ts': [
    ['tests/api/servers-renew.test.ts'],
    ['tests/api/servers-expiry.test.ts', 'tests/conformance/servers.test.ts'],
  ],
  'server/modules/servers/outages/': [
    ['tests/conformance/outages.test.ts', 'tests/api/servers-line.test.ts'],
    ['tests/api/servers-outage.test.ts'],
    ['tests/api/servers-away.test.ts'],
  ],
  'server/modules/servers/outages/line.ts': [['tests/conformance/outages.test.ts']],
  'server/modules/abuse/': [
    ['tests/api/abuse.test.ts'],
    ['server/modules/abuse/held.test.ts', 'server/modules/abuse/held-decisions.test.ts'],
  ],
  'server/modules/abuse/scores.ts': [
    ['server/modules/abuse/signals.test.ts'],
    ['server/modules/abuse/held.test.ts', 'server/modules/abuse/held-decisions.test.ts'],
  ],
  'server/modules/abuse/vpn.ts': VPN,
  'server/modules/abuse/vpn-list.ts': VPN,
  'server/modules/abuse/disposable.ts': [['server/modules/abuse/signals.test.ts']],
  'server/http/authorize.ts': PIPELINE,
  'server/http/implement.ts': PIPELINE,
  'server/http/input.ts': PIPELINE,
  'server/http/respond.ts': [...PIPELINE, ['tests/api/stored-answers.test.ts', 'tests/api/skins.test.ts']],
  'server/http/rate-limit.ts': [
    ['server/http/rate-limit.test.ts', 'server/http/pieces.test.ts', 'server/redis/counter.test.ts'],
    ['tests/api/pipeline.test.ts'],
  ],
  'server/http/app.ts': [['tests/ssr/compression.test.ts', 'tests/ssr/lines.test.ts']],
  'server/http/compress.ts': [['tests/ssr/compression.test.ts']],
  'server/http/log.ts': [['server/http/pieces.test.ts']],
  'server/http/openapi.ts': [['tests/api/api-tokens.test.ts']],
  'server/http/security.ts': [['server/http/pieces.test.ts'], ['tests/ssr/compression.test.ts']],
  'server/http/transport.ts': [['tests/ssr/remote.test.ts', 'tests/ssr/lines.test.ts']],
  'server/http/': HTTP,
  'shared/guard.ts': [['tests/ssr/guards.test.ts']],
  'shared/can.ts': [['tests/api/guards.test.ts']],
  'shared/permissions.ts': [
    ['tests/specification', 'tests/api/guards.test.ts'],
    ['tests/api/admin/permissions.test.ts'],
  ],
  'shared/contract/': [['tests/specification/access.test.ts'], ['tests/api/guards.test.ts']],
};

/** The stages of tests of a file. In: the project's folder and the file's path below it. */
export function suitesOf(root: string, file: string): readonly (readonly string[])[] {
  const [longest] = Object.keys(SUITES)
    .filter((beginning) => file.startsWith(beginning))
    .toSorted((one, other) => other.length - one.length);
  const [folder, own] = [dirname(file), file.replace(/\.tsx?$/, '.test.ts')];
  const isNamed = longest === file;
  const around =
    !isNamed && readdirSync(join(root, folder)).some((name) => name.includes('.test.')) ? [[`${folder}/`]] : [];
  const beside = existsSync(join(root, own)) ? [[own]] : around;
  const stages = [...beside, ...(SUITES[longest ?? ''] ?? [])];
  return stages.map((paths) => paths.filter((path) => existsSync(join(root, path)))).filter(({ length }) => length > 0);
}
