import { afterEach, expect, test } from 'bun:test';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { installDom } from '#tests/support/dom.ts';
import { LOCALES } from '#shared/i18n/locales.ts';
import { textsOf } from '#tests/support/texts.ts';

await installDom('https://panel.example/');
const { cleanup, fireEvent, render, screen } = await import('@testing-library/react');
const { createI18n } = await import('#client/lib/i18n-instance.ts');
const { I18nProvider, createTranslator } = await import('#client/lib/i18n.tsx');
await import('./icons-app.ts');
const { DateInput } = await import('./date-input.tsx');
const { Field } = await import('./field.tsx');
const { FileInput } = await import('./file-input.tsx');
afterEach(cleanup);

type Locale = (typeof LOCALES)[number];
/** A part in a language. */
function inside(locale: Locale, children: ReactNode): ReactNode {
  const i18n = createI18n(locale, { [locale]: { ui: textsOf(locale, 'ui') } } as never);
  return (
    <I18nProvider translator={createTranslator(i18n, locale)} timeZone="Europe/Bucharest">
      {children}
    </I18nProvider>
  );
}
const shown = () => document.querySelector('[class$="__shown"]')?.textContent;

test.each(LOCALES.map((each) => [each] as const))(
  "Screen 19 a chosen day, an empty one and a file speak the page's language (%s)",
  (locale) => {
    const texts = textsOf(locale, 'ui');
    const markup = (node: ReactNode) => renderToStaticMarkup(inside(locale, node));
    const month = new Intl.DateTimeFormat(locale === 'md' ? 'ro-MD' : locale, { month: 'short', timeZone: 'UTC' })
      .format(Date.UTC(2026, 9, 5))
      .replace('.', '');
    expect(markup(<DateInput name="from" defaultValue="2026-10-05" />)).toContain(month);
    expect(markup(<DateInput name="from" defaultValue="2026-10-05" />)).toMatch(
      /<input[^>]*type="date"[^>]*value="2026-10-05"|<input[^>]*value="2026-10-05"[^>]*type="date"/,
    );
    // A time on a wall: neither the page's zone nor the machine's moves it.
    expect(markup(<DateInput time name="from" defaultValue="2026-10-05T23:30" />)).toMatch(/5.*23:30/);
    expect(markup(<DateInput name="from" />)).toContain(String(texts.noDate));
    expect(markup(<DateInput name="from" defaultValue="no day at all" />)).toContain(String(texts.noDate));
    expect(markup(<FileInput name="skin" />)).toContain(String(texts.chooseFile));
    expect(markup(<FileInput name="skin" />)).toContain(String(texts.noFile));
  },
);

test('Screen 19 the chosen value is shown, the control keeps its label, and a reset form is empty', () => {
  render(
    inside(
      'en',
      <form>
        <Field label="Picture" name="skin">
          <FileInput />
        </Field>
      </form>,
    ),
  );
  const file = screen.getByLabelText<HTMLInputElement>('Picture');
  expect(file.type).toBe('file');
  fireEvent.change(file, { target: { files: [new File(['x'], 'a-rather-long-name.png')] } });
  expect(shown()).toContain('a-rather-long-name.png');
  fireEvent.reset(document.querySelector('form') as HTMLFormElement);
  expect(shown()).toContain('No file chosen');
  cleanup();
  render(
    inside(
      'en',
      <Field label="From" name="from">
        <DateInput />
      </Field>,
    ),
  );
  const day = screen.getByLabelText<HTMLInputElement>('From');
  expect(shown()).toBe('Choose a date');
  fireEvent.input(day, { target: { value: '2026-11-21' } });
  expect(shown()).toBe('21 Nov 2026');
});
