import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';
import type { ServerData } from './view.tsx';

await installDom('https://panel.example/mc-admin/servers/1');
const { cleanup, fireEvent, screen, waitFor } = await import('@testing-library/react');
const { showScreen } = await import('#tests/support/screens.tsx');
const { SuspendCard } = await import('./staff-actions.tsx');
const view = await import('./view.tsx');

afterEach(cleanup);

/** The card over its data; its form is answered by the page's own action. */
function show(state: string, details: readonly string[]) {
  const drift = details.map((detail, at) => ({ kind: 'differs', ref: String(at), detail }));
  const data = { server: { state, suspend_note: null }, drift, can: { unsuspend: false } } as unknown as ServerData;
  const page = {
    default: () => <SuspendCard data={data} answer={undefined} />,
    action: (args: Parameters<typeof view.action>[0]) => view.action({ ...args, params: { id: '1' } }),
  };
  return showScreen(page, {
    url: '/mc-admin/servers/1',
    answers: { 'POST /api/admin/servers/1/suspend': {} },
    session: { permissions: ['admin.servers.edit'] },
  });
}

test('P9 a suspension that was made in the panel can be kept: it becomes one by staff, with a reason', async () => {
  const { calls } = show('active', ['details, unsuspend']);
  expect(await screen.findByText(/Someone suspended it in the panel/)).toBeTruthy();
  fireEvent.change(screen.getByLabelText(/^Reason/), { target: { value: 'Mining' } });
  fireEvent.click(screen.getByRole('button', { name: 'Keep suspended' }));
  await waitFor(() =>
    expect(calls('POST /api/admin/servers/1/suspend').map(({ body }) => body)).toEqual([{ reason: 'Mining' }]),
  );
});

test('P9 a server that runs as it should is suspended as ever', async () => {
  show('active', ['build']);
  expect(await screen.findByRole('button', { name: 'Suspend' })).toBeTruthy();
  expect(screen.queryByText(/Someone suspended it in the panel/)).toBeNull();
});
