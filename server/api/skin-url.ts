import { endpointUrl } from '#shared/contract/client.ts';
import { CONTRACT } from '#shared/contract/index.ts';

/**
 * Address of a skin: another picture has another one, so that a page shows the new at once. In: its owner and its
 * fingerprint.
 */
export function skinUrl(userId: string, sha256: string): string {
  return `${endpointUrl(CONTRACT.account.skin, { params: { id: userId } })}?v=${sha256.slice(0, 12)}`;
}
