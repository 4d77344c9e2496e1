import { describe, expect, test } from 'bun:test';
import { ENDPOINTS } from '#shared/contract/index.ts';
import { PERMISSIONS } from '#shared/permissions.ts';
import { ACCESS } from './access.ts';
import { PLAIN_ENDPOINTS } from './areas.ts';

const ROWS = ACCESS.flatMap(({ endpoints }) => Object.entries(endpoints));
const nameOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;

describe('who may call what', () => {
  test('S12 T61 every endpoint of the contract asks for exactly what is written down by hand, and none is written down that is not there', () => {
    const declared = Object.fromEntries(ENDPOINTS.map((endpoint) => [nameOf(endpoint), endpoint.access]));
    expect(declared).toEqual({ ...Object.fromEntries(ROWS), ...PLAIN_ENDPOINTS });
  });

  test('T61 no endpoint is written down twice, and each part says why', () => {
    expect(new Set(ROWS.map(([name]) => name)).size).toBe(ROWS.length);
    for (const { says } of ACCESS) expect(says.length).toBeGreaterThan(30);
  });

  test('S12 everything under /api/admin asks for a permission of staff, and nothing of staff lies elsewhere', () => {
    const known = new Set<string>(PERMISSIONS.map(({ value }) => value));
    const wrong = ENDPOINTS.filter(
      ({ path, access }) => path.startsWith('/api/admin') !== (access.startsWith('admin.') && known.has(access)),
    );
    expect(wrong.map(nameOf)).toEqual([]);
    expect(ENDPOINTS.filter(({ access }) => access.startsWith('admin.')).length).toBeGreaterThan(100);
  });
});
