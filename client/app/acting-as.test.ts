import { expect, test } from 'bun:test';
import type { SessionAnswer } from './boot.ts';
import { createPageUser, withActingAs } from './acting-as.ts';

const answer = (id: string): SessionAnswer => ({ user_info: { id }, billing: {}, stats: {}, permissions: [] });

test('T39 a page stays that of its user when the session becomes somebody else’s, and follows a log-in', () => {
  let session: SessionAnswer | null = answer('ann');
  let notify = () => {};
  const pageUser = createPageUser({ get: () => session, subscribe: (listener) => ((notify = listener), () => {}) });
  const become = (id: string | null) => {
    session = id === null ? null : answer(id);
    notify();
    return pageUser();
  };
  expect(pageUser()).toBe('ann');
  expect(become('staff')).toBe('ann');
  expect(become(null)).toBeNull();
  expect(become('staff')).toBe('staff');
});

test('T39 commands say whose page they come from, reading does not, and only the refusal for it reloads', async () => {
  const sent: (string | null)[] = [];
  let reloads = 0;
  let code = 'USER_CHANGED';
  const send = withActingAs(
    (_, init) => {
      sent.push(new Headers(init.headers).get('x-acting-as'));
      return Promise.resolve(Response.json({ success: false, error_code: code }, { status: 409 }));
    },
    () => 'ann',
    () => (reloads += 1),
  );
  await send('/api/dashboard', {});
  await send('/api/dashboard', { method: 'GET' });
  expect([sent, reloads]).toEqual([[null, null], 0]);
  await send('/api/account', { method: 'PATCH' });
  expect([sent.at(-1), reloads]).toEqual(['ann', 1]);
  code = 'CONFLICT';
  await send('/api/account', { method: 'PATCH' });
  expect(reloads).toBe(1);
});
