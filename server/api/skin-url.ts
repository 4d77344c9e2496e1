import { endpointUrl } from '#shared/contract/client.ts';
import { CONTRACT } from '#shared/contract/index.ts';

/**
 * The URL of a user's skin. In: its owner and the hash of its picture, so that another picture has another URL and is
 * shown at once.
 */
export function skinUrl(userId: string, sha256: string): string {
  return `${endpointUrl(CONTRACT.account.skin, { params: { id: userId } })}?v=${sha256.slice(0, 12)}`;
}
