import { expect, test } from 'bun:test';
import { CONTRACT } from '#shared/contract/index.ts';
import { createBrowserApi } from './api.ts';

test('the client of the browser has every endpoint, and notices an answer of another build', async () => {
  const sent: string[] = [];
  const { api, isOutdated } = createBrowserApi('one', async (path) => {
    sent.push(path);
    return Response.json(
      { success: true, error_code: null },
      { headers: { 'X-Build': sent.length > 1 ? 'two' : 'one' } },
    );
  });
  await api.session.get();
  expect(isOutdated()).toBe(false);
  expect(Object.keys(CONTRACT).filter((group) => Reflect.get(api, group) === undefined)).toEqual([]);
  await api.store.items();
  expect(sent).toEqual(['/api/user/session', '/api/store']);
  expect(isOutdated()).toBe(true);
});

test('calls of staff are sent as soon as their table is there', async () => {
  const sent: [string, RequestInit][] = [];
  const { api } = createBrowserApi('one', async (path, init) => {
    sent.push([path, init]);
    return Response.json({ success: true, error_code: null });
  });
  await Promise.all([api.adminOverview.get(), api.adminUsers.list({ query: { q: 'ion' } })]);
  expect(sent.map(([path, { method }]) => `${method} ${path}`).toSorted()).toEqual([
    'GET /api/admin/overview',
    'GET /api/admin/users?q=ion',
  ]);
});

test('a group of calls is had by who awaits it, and called', async () => {
  const asked: string[] = [];
  const { api } = createBrowserApi('one', async (path) => {
    asked.push(path);
    return Response.json({ success: true });
  });
  const groups = await Promise.all([(async () => api.afk)(), (async () => api.adminHealth)()]);
  await groups[0].state();
  await groups[1].get({});
  expect(asked).toEqual(['/api/earn/afk', '/api/admin/health']);
});
