import { afterEach, describe, expect, test } from 'bun:test';
import errors from '#locales/en/errors.json';
import { UI_DEFAULTS } from '#shared/ui-settings.ts';
import { installDom } from '#tests/support/dom.ts';
import { pixelRatioFor, applySettings } from '#client/ui/skin-scene.ts';

await installDom('https://panel.example/account');
const { cleanup, fireEvent, screen } = await import('@testing-library/react');
const { NO_PASSKEYS, serverHtml, showScreen } = await import('#tests/support/screens.tsx');
const account = await import('./screen.tsx');

afterEach(cleanup);

const ACCOUNT = {
  username: 'mirela.v',
  email: 'mirela@example.org',
  first_name: 'Mirela',
  last_name: 'Vasile',
  locale: 'en',
  verified: true,
  has_password: true,
  role: { name: 'Member', color: '#888888' },
  created_at: '2026-08-12T10:00:00.000Z',
  skin: null as string | null,
};
const OWN = '/api/users/0190a000-0000-7000-8000-000000000001/skin.png?v=0123456789ab';

const viewer = () => ({
  animation: null,
  zoom: 0,
  autoRotate: true,
  cameraLight: { intensity: 0 },
  globalLight: { intensity: 0 },
});

describe('the viewer', () => {
  test('S9.5 the figure by default walks, does not rotate, and has zoom 0.8, speed 1 and lights 3 and 2.9', () => {
    const shown: Parameters<typeof applySettings>[0] = viewer();
    applySettings(shown, UI_DEFAULTS.skin);
    expect(shown.animation?.constructor.name).toBe('WalkingAnimation');
    expect(shown.animation?.speed).toBe(1);
    expect({ ...shown, animation: null }).toEqual({
      animation: null,
      zoom: 0.8,
      autoRotate: false,
      cameraLight: { intensity: 3 },
      globalLight: { intensity: 2.9 },
    });
  });

  test('the settings of the group skin change the figure, and a walk goes on where it was', () => {
    const shown: Parameters<typeof applySettings>[0] = viewer();
    applySettings(shown, UI_DEFAULTS.skin);
    const walk = shown.animation;
    applySettings(shown, {
      ...UI_DEFAULTS.skin,
      animationSpeed: 2,
      autoRotate: true,
      zoom: 1.2,
      cameraLight: 1,
      globalLight: 0.5,
    });
    expect(shown.animation).toBe(walk);
    expect(shown).toMatchObject({
      zoom: 1.2,
      autoRotate: true,
      cameraLight: { intensity: 1 },
      globalLight: { intensity: 0.5 },
    });
    expect(shown.animation?.speed).toBe(2);
    applySettings(shown, { ...UI_DEFAULTS.skin, walking: false });
    expect(shown.animation).toBeNull();
  });

  test('optimised images limit the pixel ratio of the figure to two, otherwise the screen decides', () => {
    expect([1, 2, 2.5, 3].map((screen) => pixelRatioFor(true, screen))).toEqual(['match-device', 'match-device', 2, 2]);
    expect(pixelRatioFor(false, 3)).toBe('match-device');
  });

  test('the skin is a flat picture with a text alternative until, or unless, WebGL is available', () => {
    const html = serverHtml(
      account,
      { url: '/account' },
      { tab: 'profile', account: { ...ACCOUNT, skin: OWN }, pin: null, sessions: null, statement: null },
    );
    expect(html).toContain('mirela.v as a block figure');
    expect(html).toContain(`<image href="${OWN}"`);
    expect(html).toContain('data-state="flat"');
    const standard = serverHtml(
      account,
      { url: '/account' },
      { tab: 'profile', account: ACCOUNT, pin: null, sessions: null, statement: null },
    );
    expect(standard).toContain('<image href="/assets/skin.png"');
  });
});

describe('the form', () => {
  const page = (skin: string | null, answer?: object) =>
    serverHtml(
      account,
      { url: '/account' },
      { tab: 'profile', account: { ...ACCOUNT, skin }, pin: null, sessions: null, statement: null },
      answer && { intent: 'skin', result: answer },
    );

  test('the form works without scripts: it is a form of its own that carries a file', () => {
    const form = /<form[^>]*multipart[^>]*>.*?<\/form>/s.exec(page(null))?.[0] ?? '';
    expect(form).toContain('method="post"');
    expect(form).toContain('name="_intent" value="skin"');
    const [input] = /<input[^>]*type="file"[^>]*>/.exec(form) ?? [''];
    expect(input).toContain('name="skin"');
    expect(input).toContain('accept="image/png"');
  });

  test('the form says what is wrong at the field', () => {
    const html = page(null, {
      ok: false,
      code: 'VALIDATION_FAILED',
      fields: { skin: ['SKIN_SIZE'] },
      values: {},
      requestId: null,
      retryAfterS: null,
    });
    expect(html).toContain(errors.field.SKIN_SIZE);
    expect(html).toMatch(/<input[^>]*aria-invalid="true"[^>]*type="file"/);
  });

  test('the form says what it did', () => {
    expect(page(OWN, { ok: true, result: 'put', at: '' })).toContain('This is you now.');
    expect(page(null, { ok: true, result: 'removed', at: '' })).toContain('You’re wearing the default skin again.');
  });

  test('the form goes back to the standard skin, where there is another', async () => {
    const answers = {
      'GET /api/account': { ...ACCOUNT, skin: OWN },
      'GET /api/account/email': { email: ACCOUNT.email, pending: null, sends_mail: true },
      'GET /api/account/support-pin': { support_pin: null },
      'GET /api/account/passkeys': NO_PASSKEYS,
      'DELETE /api/account/skin': {},
    };
    const { calls } = showScreen(account, { url: '/account', answers });
    fireEvent.click(await screen.findByRole('button', { name: 'Use the default skin' }));
    expect(await screen.findByText('You’re wearing the default skin again.')).toBeTruthy();
    expect(calls('DELETE /api/account/skin')).toHaveLength(1);
    expect(page(null)).not.toContain('Use the default skin');
  });
});
