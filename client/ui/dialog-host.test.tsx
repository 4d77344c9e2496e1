import { afterEach, expect, test } from 'bun:test';
import type { ReactNode } from 'react';
import ui from '#locales/en/ui.json';
import { installDom } from '#tests/support/dom.ts';

await installDom();
const { act, cleanup, fireEvent, render, screen } = await import('@testing-library/react');
const { createI18n } = await import('#client/lib/i18n-instance.ts');
const { I18nProvider, createTranslator } = await import('#client/lib/i18n.tsx');
const { DialogHost } = await import('./dialog-host.tsx');
const { createDialogs } = await import('./dialogs.ts');

afterEach(cleanup);

const translator = createTranslator(createI18n('en', { en: { ui } }), 'en');

function page(store: ReturnType<typeof createDialogs>): ReactNode {
  return (
    <I18nProvider translator={translator} timeZone="UTC">
      <button type="button">Opener</button>
      <DialogHost store={store} />
    </I18nProvider>
  );
}

async function open<T>(ask: (store: ReturnType<typeof createDialogs>) => Promise<T>): Promise<{ answer: Promise<T> }> {
  const store = createDialogs();
  render(page(store));
  screen.getByText('Opener').focus();
  let answer: Promise<T> = Promise.reject(new Error('not asked'));
  answer.catch(() => undefined);
  await act(async () => {
    answer = ask(store);
  });
  return { answer };
}

test('S8.12 an alert shows title, text and footer, and closes with OK', async () => {
  const { answer } = await open((d) =>
    d.alert({ title: 'Session Error', text: 'It has expired.', footer: 'Please log in again.' }),
  );
  const dialog = screen.getByRole('alertdialog', { name: 'Session Error' });
  expect(dialog.textContent).toContain('It has expired.');
  expect(dialog.textContent).toContain('Please log in again.');
  expect(screen.queryByText('Cancel')).toBeNull();
  await act(async () => screen.getByText('OK').click());
  await answer;
  expect(screen.queryByRole('alertdialog')).toBeNull();
});

test('the focus goes to Cancel before something is destroyed, and back to where it was', async () => {
  const { answer } = await open((d) => d.confirm({ title: 'Delete?', tone: 'danger', ok: 'Delete' }));
  expect(document.activeElement?.textContent).toBe('Cancel');
  await act(async () => screen.getByText('Cancel').click());
  expect(await answer).toBe(false);
  expect(document.activeElement?.textContent).toBe('Opener');
});

test('Esc is Cancel, unless the dialog is locked', async () => {
  const { answer } = await open((d) => d.confirm({ title: 'Leave?' }));
  await act(async () => {
    fireEvent(screen.getByRole('alertdialog'), new Event('cancel', { cancelable: true }));
  });
  expect(await answer).toBe(false);
  cleanup();
  await open((d) => d.alert({ title: 'Wait', locked: true }));
  await act(async () => {
    fireEvent(screen.getByRole('alertdialog'), new Event('cancel', { cancelable: true }));
  });
  expect(screen.queryByRole('alertdialog', { name: 'Wait' })).not.toBeNull();
});

test('what must be typed must be typed exactly', async () => {
  const { answer } = await open((d) =>
    d.confirm({ title: 'Delete?', ok: 'Delete', typeToConfirm: { text: 'Skyhold', label: 'Type the name' } }),
  );
  const input = screen.getByLabelText('Type the name');
  const button = screen.getByText<HTMLButtonElement>('Delete');
  await act(async () => void fireEvent.change(input, { target: { value: 'skyhold' } }));
  expect(button.disabled).toBe(true);
  await act(async () => void fireEvent.change(input, { target: { value: 'Skyhold' } }));
  expect(button.disabled).toBe(false);
  await act(async () => button.click());
  expect(await answer).toBe(true);
});

test('S8.12 the buttons are OK, No and Cancel where nothing else is said', async () => {
  const { answer } = await open((d) => d.choose({ title: 'Save first?' }));
  expect(screen.getAllByRole('button').map((b) => b.textContent)).toEqual(
    expect.arrayContaining(['Cancel', 'No', 'OK']),
  );
  await act(async () => screen.getByText('No').click());
  expect(await answer).toBe('no');
});
