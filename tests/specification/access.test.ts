import { describe, expect, test } from 'bun:test';
import type { Endpoint } from '#shared/contract/endpoint.ts';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { PERMISSIONS } from '#shared/permissions.ts';
import { ACCESS, plainSourceRows, ROWS } from './access.ts';
import { AREAS } from './areas.ts';

const nameOf = ({ method, path }: { readonly method: string; readonly path: string }): string => `${method} ${path}`;

/** What an endpoint of the contract asks for, in the words of the list. */
function guardsOf(endpoint: Endpoint): string[] {
  const { limit, flag, ceiling, upload, asStaff } = endpoint;
  const switches = ['verified', 'waiting', 'settingUp', 'idempotent', 'secret', 'hook'] as const;
  return [
    ...switches.filter((name) => endpoint[name] === true),
    ...(limit === undefined ? [] : [`limit:${limit}`]),
    ...(flag === undefined ? [] : [`flag:${flag}`]),
    ...(ceiling === undefined ? [] : [`ceiling:${ceiling}`]),
    ...(upload === undefined ? [] : ['upload']),
    ...(asStaff === undefined ? [] : [`staff:${asStaff}`]),
  ].sort();
}

describe('who may call what', () => {
  test('S12 T61 the endpoints of the contract and their access are exactly those written down by hand', () => {
    const declared = ENDPOINTS.map((endpoint) => [nameOf(endpoint), [endpoint.access, ...guardsOf(endpoint)]]);
    const written = ROWS.map((row) => [nameOf(row), [row.access, ...row.guards.toSorted()]]);
    expect(Object.fromEntries(declared)).toEqual(Object.fromEntries(written));
  });

  test('T61 no endpoint is written down twice or declared twice, and each part says why', () => {
    expect(new Set(ROWS.map(nameOf)).size).toBe(ROWS.length);
    expect(new Set(ENDPOINTS.map(nameOf)).size).toBe(ENDPOINTS.length);
    for (const { says } of ACCESS) expect(says.length).toBeGreaterThan(30);
  });

  test('T61 the access rule of plain earning sources equals that of redeem codes, which is written down by hand', () => {
    const redeem = ROWS.filter(({ path }) => path === '/api/earn/redeem');
    expect(redeem.map(({ method }) => method)).toEqual(['GET', 'POST']);
    expect(plainSourceRows('redeem', 'code_redemption_enabled', true)).toEqual(redeem);
    expect(plainSourceRows('redeem', 'code_redemption_enabled', false)).toEqual(redeem.slice(1));
  });

  test('S12 everything under /api/admin asks for a permission of staff, and nothing of staff lies elsewhere', () => {
    const known = new Set<string>(PERMISSIONS.map(({ value }) => value));
    const wrong = [...ENDPOINTS, ...ROWS].filter(
      ({ path, access }) => path.startsWith('/api/admin') !== (access.startsWith('admin.') && known.has(access)),
    );
    expect(wrong.map(nameOf)).toEqual([]);
    expect(ROWS.filter(({ access }) => access.startsWith('admin.')).length).toBeGreaterThan(100);
    expect(Object.keys(AREAS).length).toBeGreaterThan(5);
  });

  test('T37 what another service calls lies under one path, is open and brings its raw body; what changes nothing takes no key', () => {
    const hooks = ROWS.filter(({ guards }) => guards.includes('hook'));
    // A browser that opens such an address is led to a page, and nothing else happens.
    expect(hooks).toEqual(ROWS.filter(({ method, path }) => method !== 'GET' && path.startsWith('/api/webhooks/')));
    for (const { access, guards } of hooks) expect([access, guards.includes('upload')]).toEqual(['open', true]);
    expect(ROWS.filter(({ method, guards }) => method === 'GET' && guards.includes('idempotent'))).toEqual([]);
  });
});
