/**
 * What asking the feed of releases came to. `unreachable`: no answer; `invalid`: none that is a feed; `signature`: not
 * signed by the holder of the key; `replayed`: older than one that was read before; `expired`: its time is over.
 */
export const UPDATE_OUTCOMES = ['ok', 'unreachable', 'invalid', 'signature', 'replayed', 'expired'] as const;
export type UpdateOutcome = (typeof UPDATE_OUTCOMES)[number];

/** A version as releases are named: three whole numbers. */
export const RELEASE_VERSION = /^\d{1,5}\.\d{1,5}\.\d{1,5}$/;

/** Stands before the text that is signed: a signature of something else by the same key is none of a feed. */
export const FEED_CONTEXT = 'spawnpoint-updates-v1\n';

/** A public key of Ed25519: 32 bytes as base64. */
export const FEED_KEY = /^[A-Za-z0-9+/]{43}=$/;

/** Compares two versions of this form: negative where the first is the older one. Anything else is the oldest. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [toNumbers(a), toNumbers(b)];
  const at = left.findIndex((number, index) => number !== right[index]);
  return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}

function toNumbers(version: string): number[] {
  return RELEASE_VERSION.test(version) ? version.split('.').map(Number) : [-1, -1, -1];
}
