import { afterEach, describe, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/auth/2fa/setup');
const { cleanup, fireEvent, screen, waitFor, within } = await import('@testing-library/react');
const { MIRELA, refuse, serverHtml, showScreen, type } = await import('#tests/support/screens.tsx');
const setup = await import('./factor-setup.tsx');
const cancel = await import('./factor-cancel.tsx');

afterEach(cleanup);

const URL = '/auth/2fa/setup';
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const PENDING = {
  secret: SECRET,
  uri: `otpauth://totp/Spawnpoint:mirela.v?issuer=Spawnpoint&secret=${SECRET}&algorithm=SHA1&digits=6&period=30`,
};
const ASKS = { has_password: true, confirmed: false, passkey_domain: null };
const OFF = { enabled: false, recovery_left: 0, pending: null, ...ASKS };
const BEGUN = { enabled: false, recovery_left: 0, pending: PENDING, ...ASKS };
const ON = { enabled: true, recovery_left: 7, pending: null, ...ASKS };
const CODES = ['K7Q2M-9XW4D', 'ABCDE-23456'];

/** A factor as the server has it, which changes with what is sent. */
function show(start: object, answers: Record<string, object | (() => object)> = {}, more: object = {}) {
  let state = start;
  const become =
    (next: object, answer: object = {}) =>
    () => {
      state = next;
      return answer;
    };
  const shown = showScreen(setup, {
    url: URL,
    answers: {
      'GET /api/auth/2fa': () => state,
      'POST /api/auth/2fa/setup': become(BEGUN),
      'POST /api/auth/2fa/setup/confirm': become(ON, { recovery_codes: CODES }),
      'POST /api/auth/2fa/disable': become(OFF),
      ...answers,
    },
    ...more,
  });
  return shown;
}

describe('setting it up', () => {
  test('the set-up goes from the password to QR code and secret, the code and the recovery codes', async () => {
    const { calls } = show(OFF);
    type(await screen.findByLabelText('Your password'), 'correct horse battery');
    fireEvent.click(screen.getByRole('button', { name: 'Continue' }));
    expect(await screen.findByRole('img', { name: 'QR code for the authenticator app' })).toBeTruthy();
    expect(screen.getByText('JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Cancel' }).getAttribute('href')).toBe('/auth/2fa/setup/disband');
    type(screen.getByLabelText('Code from the app'), '123456');
    fireEvent.click(screen.getByRole('button', { name: 'Turn on' }));
    const list = await screen.findByRole('list', { name: 'Recovery codes' });
    expect(
      within(list)
        .getAllByRole('listitem')
        .map((each) => each.textContent),
    ).toEqual(CODES);
    expect(screen.getByRole('link', { name: 'I’ve saved them' }).getAttribute('href')).toBe('/account?tab=security');
    expect(calls('POST /api/auth/2fa/setup').map((call) => call.body)).toEqual([{ password: 'correct horse battery' }]);
    expect(calls('POST /api/auth/2fa/setup/confirm').map((call) => call.body)).toEqual([{ code: '123456' }]);
  });

  test('a wrong password and a wrong code stand at their fields', async () => {
    show(OFF, { 'POST /api/auth/2fa/setup': refuse('VALIDATION_FAILED', { password: ['PASSWORD_WRONG'] }) });
    type(await screen.findByLabelText('Your password'), 'no');
    fireEvent.click(screen.getByRole('button', { name: 'Continue' }));
    await waitFor(() => expect(screen.getByLabelText('Your password').getAttribute('aria-invalid')).toBe('true'));
    cleanup();
    show(BEGUN, { 'POST /api/auth/2fa/setup/confirm': refuse('VALIDATION_FAILED', { code: ['CODE_WRONG'] }) });
    type(await screen.findByLabelText('Code from the app'), '000000');
    fireEvent.click(screen.getByRole('button', { name: 'Turn on' }));
    await waitFor(() => expect(screen.getByLabelText('Code from the app').getAttribute('aria-invalid')).toBe('true'));
  });

  test('a set-up that is over meanwhile says so and begins again', async () => {
    let asked = 0;
    show(BEGUN, {
      'GET /api/auth/2fa': () => ((asked += 1) > 1 ? OFF : BEGUN),
      'POST /api/auth/2fa/setup/confirm': refuse('TWO_FACTOR_SETUP_OVER'),
    });
    type(await screen.findByLabelText('Code from the app'), '123456');
    fireEvent.click(screen.getByRole('button', { name: 'Turn on' }));
    expect(await screen.findByLabelText('Your password')).toBeTruthy();
    expect(screen.getByText('This set-up has expired. Start again.')).toBeTruthy();
  });

  test('the page says so where the host asks for a factor, and the only other way is out', async () => {
    show(OFF, {}, { session: { user: { ...MIRELA, second_factor: 'required' } } });
    expect(
      await screen.findByText('This host requires two-factor authentication. Set it up to continue.'),
    ).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Log out' }).getAttribute('href')).toBe('/auth/logout');
    expect(screen.queryByRole('link', { name: 'Back to your account' })).toBeNull();
  });

  test('S7 before the address is confirmed the page says so and leads to the confirmation', async () => {
    show(OFF, {}, { session: { user: { ...MIRELA, verified: false, confirmation: 'pending' } } });
    expect((await screen.findByRole('link', { name: 'Confirm now' })).getAttribute('href')).toBe('/auth/verify');
  });

  test('the QR code is drawn without a style of its own', () => {
    const html = serverHtml(setup, { url: URL }, BEGUN);
    expect(html).toMatch(/<svg class="sp-qr" viewBox="0 0 \d+ \d+"/);
    expect(html).not.toContain('style=');
  });
});

describe('a factor that is on', () => {
  const part = (name: string) => within(screen.getByRole('region', { name }));
  async function prove(region: string, button: string): Promise<void> {
    await screen.findByRole('region', { name: region });
    type(part(region).getByLabelText('Your password'), 'correct horse battery');
    type(part(region).getByLabelText('Code'), '123456');
    fireEvent.click(part(region).getByRole('button', { name: button }));
  }
  const PROOF = { password: 'correct horse battery', code: '123456' };

  test('the page says how many codes are left, and makes new ones', async () => {
    const { calls } = show(ON, { 'POST /api/auth/2fa/recovery': { recovery_codes: CODES } });
    expect(await screen.findByText(/7 recovery codes left/)).toBeTruthy();
    await prove('New recovery codes', 'Create new codes');
    expect(await screen.findByRole('list', { name: 'Recovery codes' })).toBeTruthy();
    expect(calls('POST /api/auth/2fa/recovery').map((call) => call.body)).toEqual([PROOF]);
  });

  test('T31 the factor is switched off by password and code', async () => {
    const { calls } = show(ON);
    await prove('Turn off', 'Turn off');
    expect(await screen.findByText('Two-factor authentication is off.')).toBeTruthy();
    expect(calls('POST /api/auth/2fa/disable').map((call) => call.body)).toEqual([PROOF]);
  });

  test('a refusal stands in the form that was sent, and in no other', async () => {
    show(ON, { 'POST /api/auth/2fa/disable': refuse('VALIDATION_FAILED', { code: ['CODE_WRONG'] }) });
    await prove('Turn off', 'Turn off');
    await waitFor(() => expect(part('Turn off').getByLabelText('Code').getAttribute('aria-invalid')).toBe('true'));
    expect(part('New recovery codes').getByLabelText('Code').getAttribute('aria-invalid')).not.toBe('true');
  });
});

test('the page that cancels only sends the browser on', () => {
  const answer = cancel.loader();
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/api/auth/2fa/setup/kill']);
  expect(cancel.default()).toBeNull();
});
