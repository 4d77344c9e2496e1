import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/account?tab=security');
const { cleanup, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
const { MIRELA, NOW, refuse, serverHtml, showScreen, type } = await import('#tests/support/screens.tsx');
const { stubPasskeys } = await import('#tests/support/passkey-browser.ts');
const account = await import('./screen.tsx');

let restore = (): void => {};
afterEach(() => {
  cleanup();
  restore();
  restore = () => {};
});

const ID = '0190a000-0000-7000-8000-000000000001';
const PHONE = { id: ID, name: 'Phone', created_at: NOW, used_at: null, synced: true, copied: false };
const PAGE = { domain: 'panel.example', confirmed: false, needs_password: true, needs_code: false, passkeys: [PHONE] };
const ACCOUNT = { ...MIRELA, locale: 'en', confirmation: 'confirmed', role: { name: 'Member', color: '#888888' } };

/** The security tab; `passkeys` is what the API says of them, anew at each question. */
function show(passkeys: () => object, answers: Record<string, object | (() => object)> = {}) {
  return showScreen(account, {
    url: '/account?tab=security',
    inBrowser: true,
    answers: { 'GET /api/account': ACCOUNT, 'GET /api/account/passkeys': passkeys, ...answers },
  });
}
const card = async () => {
  const title = await screen.findByRole('heading', { name: /^Passkeys/ });
  const section = title.closest('section');
  if (!section) throw new Error('there is no card');
  return within(section);
};

test('T31 the card asks who sits there before a passkey is added or removed, with a code where the factor is on', async () => {
  let confirmed = false;
  const { calls } = show(() => ({ ...PAGE, confirmed, needs_code: true }), {
    'POST /api/auth/confirm': () => {
      if (confirmed) return {};
      confirmed = true;
      return refuse('VALIDATION_FAILED', { code: ['CODE_WRONG'] });
    },
  });
  const shown = await card();
  expect(shown.getByText(/Added .* not used yet/)).toBeTruthy();
  expect(shown.getByText('Synced')).toBeTruthy();
  expect(shown.queryByRole('button', { name: /^Remove.*Phone$/ })).toBeNull();
  expect(shown.queryByRole('button', { name: 'Add passkey' })).toBeNull();
  confirmed = false;
  type(shown.getByLabelText('Your password'), 'correct horse battery');
  type(shown.getByLabelText('Code'), '123456');
  fireEvent.click(shown.getByRole('button', { name: 'Confirm' }));
  await waitFor(() => expect(calls('POST /api/auth/confirm')).toHaveLength(1));
  expect(calls('POST /api/auth/confirm')[0]?.body).toEqual({ password: 'correct horse battery', code: '123456' });
  expect(await (await card()).findByRole('button', { name: /^Remove.*Phone$/ })).toBeTruthy();
});

test('a confirmed session adds a passkey under its name, and what the browser refuses stands beside the button', async () => {
  const browser = stubPasskeys();
  restore = browser.restore;
  let passkeys: object[] = [];
  const { calls } = show(() => ({ ...PAGE, confirmed: true, passkeys }), {
    'POST /api/account/passkeys/options': { options: browser.creationOptions },
    'POST /api/account/passkeys': () => {
      passkeys = [PHONE];
      return { id: ID };
    },
  });
  const shown = await card();
  expect(shown.getByText('You have no passkeys yet.')).toBeTruthy();
  browser.refuse('NotAllowedError');
  fireEvent.click(await shown.findByRole('button', { name: 'Add passkey' }));
  expect(await shown.findByText('No passkey was used: it was cancelled, or it took too long.')).toBeTruthy();
  browser.refuse('InvalidStateError');
  fireEvent.click(shown.getByRole('button', { name: 'Add passkey' }));
  expect(await shown.findByText('This device already has a passkey for your account.')).toBeTruthy();
  expect(calls('POST /api/account/passkeys')).toEqual([]);
  browser.refuse(null);
  type(shown.getByLabelText(/^Name/), ' Phone ');
  fireEvent.click(shown.getByRole('button', { name: 'Add passkey' }));
  expect(await screen.findByText('Passkey added. You can log in with it from now on.')).toBeTruthy();
  expect(calls('POST /api/account/passkeys').map(({ body }) => body)).toEqual([{ ...browser.made, name: 'Phone' }]);
});

test('a passkey is renamed in a dialog and removed after a question', async () => {
  let page = { ...PAGE, confirmed: true };
  const { calls } = show(() => page, {
    [`PATCH /api/account/passkeys/${ID}`]: {},
    [`DELETE /api/account/passkeys/${ID}`]: () => {
      page = { ...page, passkeys: [] };
      return {};
    },
  });
  fireEvent.click(await (await card()).findByRole('button', { name: /^Rename.*Phone$/ }));
  const prompt = within(await screen.findByRole('dialog'));
  type(prompt.getByLabelText('Name'), 'Pixel 8');
  fireEvent.click(prompt.getByRole('button', { name: 'Save name' }));
  expect(await screen.findByText('Name saved.')).toBeTruthy();
  expect(calls(`PATCH /api/account/passkeys/${ID}`).map(({ body }) => body)).toEqual([{ name: 'Pixel 8' }]);
  fireEvent.click((await card()).getByRole('button', { name: /^Remove.*Phone$/ }));
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Remove' }));
  expect(await screen.findByText('Passkey removed.')).toBeTruthy();
  expect(calls(`DELETE /api/account/passkeys/${ID}`)).toHaveLength(1);
});

test('T32 a passkey that may be copied is marked, and a refusal of the API stands above the list', async () => {
  show(() => ({ ...PAGE, confirmed: true, passkeys: [{ ...PHONE, copied: true, used_at: NOW }] }), {
    [`DELETE /api/account/passkeys/${ID}`]: refuse('CONFIRM_REQUIRED'),
  });
  expect((await card()).getByText('May be copied')).toBeTruthy();
  fireEvent.click((await card()).getByRole('button', { name: /^Remove.*Phone$/ }));
  fireEvent.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Remove' }));
  expect(await screen.findByText('Confirm that it’s you first.')).toBeTruthy();
});

test('a host without a domain and a browser without passkeys say why there are none', async () => {
  show(() => ({ ...PAGE, domain: null, passkeys: [] }));
  expect(await (await card()).findByText(/^Passkeys need a domain name\./)).toBeTruthy();
  cleanup();
  show(() => ({ ...PAGE, confirmed: true, passkeys: [] }));
  expect(await (await card()).findByText('This browser doesn’t support passkeys on this page.')).toBeTruthy();
});

test('without scripts one confirms and removes by forms, and no button waits for what only scripts can do', () => {
  const data = { tab: 'security', account: ACCOUNT, passkeys: { ...PAGE, confirmed: true } };
  const html = serverHtml(account, { url: '/account?tab=security' }, data);
  expect(html).toContain('value="removePasskey"');
  expect(html).toContain('data-off=""');
  const asked = serverHtml(account, { url: '/account?tab=security' }, { ...data, passkeys: PAGE });
  expect(asked).toContain('value="confirm"');
  expect(asked).not.toContain('value="removePasskey"');
});
