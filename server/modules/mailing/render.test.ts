import { describe, expect, test } from 'bun:test';
import { LOCALES } from '#shared/i18n/locales.ts';
import { mailTexts } from '#server/mail/texts.ts';
import { DAY } from '#shared/time.ts';
import { MAIL_ATTEMPTS, PAUSES_MS } from './job.ts';
import type { MailTemplate } from './ports.ts';
import { renderMail, type MailTexts, type RenderInput } from './render.ts';

const TEXTS: Readonly<Record<string, MailTexts>> = {
  en: {
    greeting: 'Hello {{name}},',
    footer: 'From {{app}}',
    fallback: 'Or:',
    serverReady: { subject: '{{server}} is ready', body: 'One\n\nTwo {{address}}', button: 'Go' },
  },
  ro: {
    greeting: 'Salut {{name}},',
    renewReminder: {
      subject_one: 'o zi',
      subject_few: '{{count}} zile',
      subject_other: '{{count}} de zile',
      body: '',
      button: '',
    },
  },
};
const texts = (locale: string): MailTexts => TEXTS[locale] ?? {};
const mail = (change: Partial<RenderInput>): RenderInput => ({
  template: 'serverReady',
  locale: 'en',
  vars: { name: 'M', server: 'S', address: 'a:1', path: '/server/1' },
  app: 'Nether',
  timeZone: 'UTC',
  appUrl: 'https://panel.example',
  ...change,
});

describe('a mail', () => {
  test('a mail has its paragraphs, its link and its foot, as text and as HTML', () => {
    const { subject, text, html } = renderMail(texts, mail({}));
    expect(subject).toBe('S is ready');
    expect(text).toBe(
      'Hello M,\n\nOne\n\nTwo a:1\n\nGo:\nhttps://panel.example/server/1\n\n--\nFrom Nether\nhttps://panel.example',
    );
    expect(html).toContain('>One</p>');
    expect(html).toContain('<a href="https://panel.example/server/1"');
    expect(html).not.toMatch(/src=|url\(|<script/);
  });

  test('a mail takes English where its language lacks a text, and the plural of its language where it has one', () => {
    expect(renderMail(texts, mail({ locale: 'ro' })).text).toStartWith('Salut M,\n\nOne');
    const days = (count: number) =>
      renderMail(texts, mail({ locale: 'ro', template: 'renewReminder', vars: { name: 'M', count, path: '/' } }))
        .subject;
    expect([days(1), days(3), days(20)]).toEqual(['o zi', '3 zile', '20 de zile']);
    expect(renderMail(texts, mail({ locale: 'md', template: 'serverReady' })).html).toContain('lang="ro-MD"');
  });

  test('T47 a mail puts in named variables only, once: what a value holds in braces is text', () => {
    const { subject } = renderMail(
      texts,
      mail({ vars: { name: 'M', server: '{{address}} {{constructor}} ${1+1}', address: 'secret', path: '/' } }),
    );
    expect(subject).toBe('{{address}} {{constructor}} ${1+1} is ready');
    expect(renderMail(texts, mail({ vars: { name: 'M', path: '/' } })).subject).toBe('is ready');
  });

  test('T29 T54 a mail is escaped in HTML and has a subject of one line', () => {
    const { subject, html } = renderMail(
      texts,
      mail({
        app: '<b>"App"&\'',
        vars: { name: '<i>', server: 'a\r\nBcc: x\u2028y', address: '<script>alert(1)</script>', path: '/"><script>' },
      }),
    );
    expect(subject).toBe('a Bcc: x y is ready');
    expect(html).not.toMatch(/<script|<i>|<b>"/);
  });

  const VARS = {
    name: 'Mirela',
    path: '/p',
    server: 'Survival',
    address: 'node:25565',
    device: 'Firefox',
    passkey: 'Phone',
    token: 'Discord bot',
    when: { at: 0 },
    count: 2,
    credits: 100,
  };
  const templates: readonly MailTemplate[] = [
    'verify',
    'accountExists',
    'newDevice',
    'twoFactorOn',
    'twoFactorOff',
    'passkeyAdded',
    'passkeyRemoved',
    'tokenCreated',
    'renewReminder',
    'serverSuspended',
    'serverDeleteWarning',
    'serverDeleted',
    'serverReady',
    'serverFailed',
  ];
  test.each(LOCALES)('every mail can be written in %s, with nothing left open', (locale) => {
    for (const template of templates) {
      const { subject, text } = renderMail(mailTexts, mail({ locale, template, vars: VARS }));
      expect(subject.length).toBeGreaterThan(5);
      expect(text.length).toBeGreaterThan(80);
      expect(subject + text).not.toMatch(/\{\{|undefined|\[object/);
    }
  });
});

test('the pauses between tries grow and end within 24 hours', () => {
  expect(PAUSES_MS).toHaveLength(MAIL_ATTEMPTS - 1);
  expect(PAUSES_MS).toEqual(PAUSES_MS.toSorted((a, b) => a - b));
  expect(PAUSES_MS.reduce((sum, pause) => sum + pause, 0)).toBeLessThanOrEqual(DAY);
});
