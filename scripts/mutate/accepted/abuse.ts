import type { Accepted } from './accepted.types.ts';

const CODE_WEIGHS = 'if (terms.altAllowed || device + around === 0) return null;';
const CODE_COUNT =
  "return { code: 'codeShared', weight: Math.max(device, around), count: device >= around ? same.device : same.address };";
const CONFIGURED = "let configured = { on: false, text: '', url: '', revision: 0 };";
const NEXT_REVISION = 'configured = { on, text, url, revision: configured.revision + 1 };';
const VPN_VERSION = 'return `${configured.revision} ${uploaded?.atMs ?? 0}`;';
const LIST_TIME = 'const updatedMs = Math.max(clock.now(), (before?.updatedMs ?? 0) + 1);';
const REVIEW_OWNER = "const owner = decision === 'reject' ? await tx.abuse.findOwner(id) : null;";
const REVIEW_LOCK = 'if (owner) await deps.counters.lock(tx, owner.userId, owner.source);';
const REVIEW_OPEN = "if (held.state !== 'open') throw new DomainError('HOLD_CLOSED');";
const REVIEW_DUE =
  "if (held?.state !== 'open' || held.releaseMs === null || held.releaseMs > clock.now()) return false;";
const CREATED = 'const createdMs = profile?.createdMs ?? 0;';

export const ABUSE: readonly Accepted[] = [
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
    file: 'server/modules/abuse/score.ts',
    within: 'codeReason',
    changes: [
      [CODE_WEIGHS, CODE_WEIGHS.replace('+', '-')],
      [CODE_COUNT, CODE_COUNT.replace('>=', '>')],
    ],
    because: 'No number of points of a device is one of an address, but for nothing, which weighs nothing.',
  },
];
