import { describe, expect, test } from 'bun:test';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import ui from '#locales/en/ui.json';
import { createI18n, addTexts } from './i18n-instance.ts';
import { I18nProvider, Rich, createTranslator, useT } from './i18n.tsx';
import { toLocale } from '#shared/i18n/locales.ts';
import type { TFn } from '#shared/i18n/types.ts';

describe('translator', () => {
  test('the translator is the same object until texts are added', () => {
    const i18n = createI18n('en', { en: { ui } });
    const before = createTranslator(i18n, 'en');
    expect(createTranslator(i18n, 'en')).toBe(before);
    expect(before.t('ui')).toBe(before.t('ui'));
    addTexts(i18n, 'en', { ui: { ok: 'Okay' } });
    const after = createTranslator(i18n, 'en');
    expect(after).not.toBe(before);
    expect(after.t('ui')('ok')).toBe('Okay');
  });

  test('the translator falls back to English', () => {
    const t = createTranslator(createI18n('de', { en: { ui }, de: { ui: { ok: 'Ja' } } }), 'de').t('ui');
    expect(t('ok')).toBe('Ja');
    expect(t('cancel')).toBe('Cancel');
  });

  test('the translator chooses plural forms, and Romanian ones for md', () => {
    const forms = {
      credits_one: '{{amount}} credit',
      credits_few: '{{amount}} credite',
      credits_other: '{{amount}} de credite',
    };
    const t = createTranslator(createI18n('md', { en: { ui }, md: { ui: forms } }), 'md').t('ui');
    expect([1, 5, 20].map((count) => t('credits', { count, amount: count }))).toEqual([
      '1 credit',
      '5 credite',
      '20 de credite',
    ]);
  });

  test('a loose key gives the first existing text, otherwise nothing', () => {
    const loose = createTranslator(createI18n('en', { en: { ui } }), 'en').loose('ui');
    expect(loose(['nowhere.at.all', 'cancel'])).toBe('Cancel');
    expect(loose('nowhere')).toBe('');
    expect(loose(['nowhere', 'page'], { page: 3 })).toBe('Page 3');
  });
});

test('languages are found in any spelling', () => {
  expect(['DE', 'de-AT', 'ro-MD', 'MD', 'ro', 'xx', '', null].map(toLocale)).toEqual([
    'de',
    'de',
    'md',
    'md',
    'ro',
    'en',
    'en',
    'en',
  ]);
});

const TAGS = { b: <b />, i: (children: ReactNode) => <i>{children}</i>, br: <br /> };

function Shown(props: { text: string; vars?: Record<string, ReactNode> }): ReactNode {
  const t: TFn<'ui'> = (_, vars = {}) =>
    props.text.replace(/\{\{(\w+)\}\}/g, (_whole, name: string) => String(vars[name]));
  return <Rich t={t} k="ok" {...(props.vars ? { vars: props.vars } : {})} tags={TAGS} />;
}

describe('Rich', () => {
  const html = (text: string, vars?: Record<string, ReactNode>): string =>
    renderToStaticMarkup(<Shown text={text} {...(vars ? { vars } : {})} />);

  test('Rich puts elements where the tags are, nested ones as well', () => {
    expect(html('Read <b>the <i>rules</i></b> now<br/>')).toBe('Read <b>the <i>rules</i></b> now<br/>');
  });
  test('a value can be an element', () => {
    expect(html('You have {{n}} left', { n: <em>5</em> })).toBe('You have <em>5</em> left');
  });
  test('T3 a value cannot become a tag', () => {
    expect(html('By <b>{{name}}</b>', { name: '<i>x</i><script>' })).toBe(
      'By <b>&lt;i&gt;x&lt;/i&gt;&lt;script&gt;</b>',
    );
  });
  test('unknown and unclosed tags keep their words', () => {
    expect(html('a <u>b</u> <b>c')).toBe('a &lt;u&gt;b&lt;/u&gt; c');
  });
});

test('hooks say what is missing outside a provider', () => {
  function Lost(): ReactNode {
    return useT('ui')('ok');
  }
  expect(() => renderToStaticMarkup(<Lost />)).toThrow('I18nProvider');
  const translator = createTranslator(createI18n('en', { en: { ui } }), 'en');
  const found = (
    <I18nProvider translator={translator} timeZone="UTC">
      <Lost />
    </I18nProvider>
  );
  expect(renderToStaticMarkup(found)).toBe('OK');
});
