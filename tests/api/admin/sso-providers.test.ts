import { describe } from 'bun:test';
import { ssoProviders } from '#shared/resources/sso-providers.ts';
import { ENGINES } from '#tests/support/db.ts';
import { crudSuite } from '../crud-suite.ts';
import type { World } from './world.ts';

let links = 0;
/** An account that is linked to one at a provider. */
async function addLink(world: World, id: string, passwordHash: string): Promise<void> {
  links += 1;
  const user = await world.user(`linked${links}`);
  await world.db.sql('UPDATE users SET password_hash = ? WHERE id = ? RETURNING id', [passwordHash, user]);
  const [row] = await world.db.sql<{ issuer: string }>('SELECT issuer FROM sso_providers WHERE id = ?', [id]);
  await world.db.sql(
    `INSERT INTO linked_identities (id, user_id, provider, subject, name, scopes, version, refreshing_until_ms, linked_ms, updated_ms)
     VALUES (?, ?, ?, ?, 'A', '', 1, 0, 0, 0) RETURNING id`,
    [`link-${links}`, user, row?.issuer ?? '', `subject-${links}`],
  );
}

describe.each(ENGINES)('sign-in services (%s)', (engine) => {
  crudSuite(
    ssoProviders,
    {
      input: (n) => ({
        name: `Service ${String(n).padStart(2, '0')}`,
        kind: 'oidc',
        issuer: `https://id-${n}.example.com`,
        client_id: `client-${n}`,
        scopes: 'openid email',
        icon: 'key',
        position: (n * 5) % 7,
        enabled: n % 2 === 0,
      }),
      change: { client_id: 'changed', scopes: 'openid', position: 77, enabled: false },
      bad: [
        [{ name: '' }, 'name', 'REQUIRED'],
        [{ name: 'a'.repeat(81) }, 'name', 'TOO_LONG'],
        [{ kind: 'saml' }, 'kind', 'INVALID'],
        [{ issuer: '' }, 'issuer', 'REQUIRED'],
        [{ issuer: 'id.example.com' }, 'issuer', 'INVALID'],
        [{ issuer: 'http://id.example.com' }, 'issuer', 'INVALID'],
        [{ issuer: 'https://a:b@id.example.com' }, 'issuer', 'INVALID'],
        [{ issuer: 'https://id.example.com?x' }, 'issuer', 'INVALID'],
        [{ issuer: 'javascript:alert(1)' }, 'issuer', 'INVALID'],
        [{ client_id: '' }, 'client_id', 'REQUIRED'],
        [{ kind: 'github', issuer: '' }, 'client_secret', 'REQUIRED'],
        [{ kind: 'google' }, 'issuer', 'FIXED'],
        [{ scopes: 'open"id' }, 'scopes', 'INVALID'],
        [{ icon: 'trash' }, 'icon', 'INVALID'],
      ],
      unique: { field: 'name', code: 'NAME_TAKEN' },
      depend: {
        linked: (world, id) => addLink(world, id, 'hash'),
        stranded: (world, id) => addLink(world, id, ''),
      },
      text: 'name',
    },
    engine,
  );
});
