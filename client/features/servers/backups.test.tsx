import { afterEach, expect, test } from 'bun:test';
import errors from '#locales/en/errors.json';
import live from '#locales/en/live.json';
import { ID, server } from './testing.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/server/1');
const { cleanup, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
const { refuse, showScreen } = await import('#tests/support/screens.tsx');
const { ServerBackups } = await import('./backups.tsx');
// This DOM has no popovers: what is chosen from one is chosen all the same.
HTMLElement.prototype.hidePopover = () => undefined;
afterEach(cleanup);

const AT = `/api/servers/${ID(1)}/backups`;
const backup = (more: object) => ({
  id: ID(7),
  name: 'Before the update',
  state: 'ready',
  size: 2048,
  locked: false,
  created_at: '2026-11-21T18:29:50.000Z',
  restored_at: null,
  failure: null,
  ...more,
});

/** Shows the backups; each call is answered by the next list, or what `answer` says of it. */
async function show(lists: object[], answer: (call: string) => object | null = () => null) {
  const asked: string[] = [];
  const answers = new Proxy(
    {},
    {
      get: (_, name) => () => {
        const call = String(name).replace(AT, '').replaceAll(ID(7), 'ONE');
        asked.push(call.replace(/[0-9a-f-]{36}$/, 'NEW').trim());
        if (call.trim() === 'GET') return (lists.length > 1 ? lists.shift() : lists[0]) as object;
        return answer(call) ?? {};
      },
    },
  );
  showScreen({ default: () => <ServerBackups server={server()} /> }, { url: '/server/1', inBrowser: true, answers });
  await waitFor(() => expect(asked).toContain('GET'));
  return asked;
}
/** Answers the dialog that is open by one of its buttons; `text`: what is written into it before. */
async function answerDialog(button: string, text?: string): Promise<void> {
  const dialog = await screen.findByRole(text === undefined ? 'alertdialog' : 'dialog');
  if (text !== undefined) fireEvent.change(within(dialog).getByRole('textbox'), { target: { value: text } });
  fireEvent.click(within(dialog).getByRole('button', { name: button }));
  await waitFor(() => expect(dialog.isConnected).toBe(false));
}
const press = async (name: string | RegExp) => fireEvent.click(await screen.findByRole('button', { name }));
const choose = async (name: string) => fireEvent.click(await screen.findByRole('menuitem', { name, hidden: true }));

test('a server without backups says where they come from, and offers none to make', async () => {
  await show([{ backups: [], limit: 0 }]);
  expect(await screen.findByText(live.backups.noLimit)).toBeTruthy();
  expect(screen.queryByRole('button', { name: live.backups.make })).toBeNull();
});

test('a backup is followed until it is whole, and what it may be called is asked before', async () => {
  const lists = [
    { backups: [], limit: 1 },
    { backups: [backup({ state: 'making', size: 10 })], limit: 1 },
  ];
  const asked = await show(lists);
  await press(live.backups.make);
  await answerDialog(live.backups.make, 'a\u202eb');
  await answerDialog('OK');
  expect(asked).toEqual(['GET']);
  await press(live.backups.make);
  await answerDialog(live.backups.make, 'Before the update');
  expect(await screen.findByText(new RegExp(live.backups.state.making))).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Actions for Before the update' })).toBeNull();
  lists.push({ backups: [backup({})], limit: 1 });
  expect(await screen.findByRole('button', { name: 'Actions for Before the update' })).toBeTruthy();
  expect(screen.getByRole('button', { name: live.backups.make })).toHaveProperty('disabled', true);
  expect(asked.filter((call) => call !== 'GET')).toEqual(['PUT /NEW']);
});

test('nothing is restored or deleted unasked, and a refusal is said in words', async () => {
  const asked = await show([{ backups: [backup({})], limit: 2 }], (call) =>
    call.startsWith('POST') ? refuse('SERVER_BUSY') : null,
  );
  await choose(live.backups.restore);
  await answerDialog('Cancel');
  await choose(live.backups.delete);
  await answerDialog('Cancel');
  expect(asked.filter((call) => call !== 'GET')).toEqual([]);
  await choose(live.backups.restore);
  await answerDialog(live.backups.restore);
  expect(await screen.findByText(errors.SERVER_BUSY)).toBeTruthy();
  await choose(live.backups.delete);
  await answerDialog(live.backups.delete);
  await waitFor(() => expect(screen.queryByText(errors.SERVER_BUSY)).toBeNull());
  expect(asked.filter((call) => call !== 'GET')).toEqual(['POST /ONE/restore', 'DELETE /ONE']);
});

test('a failed backup says why and can only be deleted, a locked one cannot, and a failed restore says what is unchanged', async () => {
  const list = (more: object) => [{ backups: [backup(more)], limit: 2 }];
  await show(list({ state: 'failed', failure: 'no_space', size: 0, name: '' }));
  expect(await screen.findByText(new RegExp(live.backups.failure.no_space))).toBeTruthy();
  expect(screen.getAllByRole('menuitem', { hidden: true }).length).toBe(1);
  cleanup();
  await show(list({ locked: true, failure: 'failed' }));
  expect(await screen.findByText(new RegExp(live.backups.restoreFailed.failed))).toBeTruthy();
  const remove = await screen.findByRole('menuitem', { name: live.backups.delete, hidden: true });
  expect(remove).toHaveProperty('disabled', true);
  expect(await screen.findByRole('menuitem', { name: live.backups.unlock, hidden: true })).toBeTruthy();
});
