import type { Ids, Sealer } from '../kernel.ts';
import type { WebhookEndpoint } from './ports.ts';

const PURPOSE = 'webhooks';

/**
 * Where a sealed secret opens: at this endpoint, and for this origin only, so that it never signs towards an address
 * that somebody without it has set (attacks T57).
 */
const placeOf = ({ id, url }: Pick<WebhookEndpoint, 'id' | 'url'>) => `${id} ${new URL(url).origin}`;

/** A new secret: as its receiver is given it, once, and as it is kept. */
export function newSecret(
  { ids, sealer }: { readonly ids: Pick<Ids, 'token'>; readonly sealer: Sealer },
  endpoint: Pick<WebhookEndpoint, 'id' | 'url'>,
) {
  // 32 bytes (Standard Webhooks: 24 to 64).
  const secret = `whsec_${Buffer.from(ids.token(), 'base64url').toString('base64')}`;
  return { secret, sealed: sealSecret(sealer, endpoint, secret) };
}

/** A secret as it is kept. */
export function sealSecret(sealer: Sealer, endpoint: Pick<WebhookEndpoint, 'id' | 'url'>, secret: string): string {
  return sealer.seal(PURPOSE, placeOf(endpoint), secret);
}

/** The secrets that sign at a moment, the new one first; null where the new one cannot be read any more. */
export function secretsOf(sealer: Sealer, endpoint: WebhookEndpoint, nowMs: number): readonly string[] | null {
  const current = sealer.open(PURPOSE, placeOf(endpoint), endpoint.secret);
  if (!('text' in current)) return null;
  if (endpoint.oldSecret === null || endpoint.oldUntilMs === null || endpoint.oldUntilMs <= nowMs)
    return [current.text];
  const old = sealer.open(PURPOSE, placeOf(endpoint), endpoint.oldSecret);
  return 'text' in old ? [current.text, old.text] : [current.text];
}
