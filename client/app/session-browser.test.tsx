import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { LOCALES } from '#shared/i18n/locales.ts';
import { installDom } from '#tests/support/dom.ts';
import { textsOf } from '#tests/support/texts.ts';

await installDom('https://panel.example/store');
const { act, cleanup, render, screen } = await import('@testing-library/react');
const { createI18n } = await import('#client/lib/i18n-instance.ts');
const { I18nProvider, createTranslator } = await import('#client/lib/i18n.tsx');
const { DialogHost } = await import('#client/ui/dialog-host.tsx');
const { default: errors } = await import('#locales/en/errors.json');
const { default: ui } = await import('#locales/en/ui.json');
const { showAccessDenied, showSessionFailure } = await import('./session-browser.ts');

const translator = createTranslator(createI18n('en', { en: { errors, ui } }), 'en');
const t = translator.t('errors');

beforeEach(() => {
  render(
    <I18nProvider translator={translator} timeZone="UTC">
      <DialogHost />
    </I18nProvider>,
  );
});
afterEach(cleanup);

/** Typed from the specification, section 8: title, text, footer. */
const CATALOGUE = [
  [
    'S8.1 SERVER_UNAVAILABLE',
    () => showSessionFailure('unavailable', t),
    'Server Unavailable',
    'The server is currently unavailable. Please try again later.',
    null,
  ],
  [
    'S8.2 a session that failed',
    () => showSessionFailure('session', t),
    'Session Error',
    'Your session has expired or is invalid.',
    'Please log in again.',
  ],
  [
    'S8.3 a missing permission',
    () => showAccessDenied(t),
    'Access Denied',
    'You do not have permission to access this resource.',
    null,
  ],
  [
    'S8.4 a session that could not start',
    () => showSessionFailure('start', t),
    'Error',
    'Failed to start session. Please try again.',
    null,
  ],
] as const;

describe('the dialogs of the error catalogue', () => {
  test.each(CATALOGUE)(
    '%s: the dialog has the exact text, one button OK, and nothing further happens before it is pressed',
    async (_, say, title, text, footer) => {
      let done = false;
      await act(async () => {
        void say().then(() => (done = true));
      });
      const dialog = screen.getByRole('alertdialog', { name: title });
      expect(dialog.querySelector('.sp-dialog__text')?.textContent).toBe(text);
      expect(dialog.querySelector('.sp-dialog__footer')?.textContent ?? null).toBe(footer);
      const ok = screen.getByText('OK');
      expect(done).toBe(false);
      await act(async () => ok.click());
      expect([done, screen.queryByRole('alertdialog')]).toEqual([true, null]);
    },
  );

  test('S8.1 S8.2 S8.3 S8.4 each dialog is said in every other language in words of its own', () => {
    const keys = Object.keys(textsOf('en', 'errors')).filter((key) => key.startsWith('dialog.'));
    expect(keys).toHaveLength(9);
    for (const locale of LOCALES.filter((each) => each !== 'en')) {
      const own = textsOf(locale, 'errors');
      expect({ locale, same: keys.filter((key) => !own[key] || own[key] === textsOf('en', 'errors')[key]) }).toEqual({
        locale,
        same: locale === 'es' ? ['dialog.start.title'] : [],
      });
    }
  });
});
