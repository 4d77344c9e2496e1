import { SerializedJson, type Handlers } from '#server/http/implement.types.ts';
import type { adminPermissions } from '#shared/contract/admin.ts';
import { PERMISSIONS } from '#shared/permissions.ts';

/** The permission catalogue: the same for the life of the process. */
export function permissionsHandlers(): Handlers<typeof adminPermissions> {
  const catalogue = new SerializedJson(JSON.stringify({ success: true, error_code: null, permissions: PERMISSIONS }));
  return { list: async () => catalogue };
}
