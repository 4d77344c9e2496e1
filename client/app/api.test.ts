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
