import { describe, expect, test } from 'bun:test';
import { LOCALES, type Locale } from '#shared/i18n/locales.ts';
import { mailTexts } from '#server/mail/texts.ts';
import { MAIL_TEMPLATES, unknownVariables, type MailContent } from '#shared/mails.ts';
import { DAY } from '#shared/time.ts';
import { MAIL_ATTEMPTS, PAUSES_MS } from './job.ts';
import type { MailTemplate } from './ports.ts';
import { renderMail, type RenderInput } from './render.ts';
import { defaultContent, needsButton, requiredVariables, variablesOf } from './template.ts';
import type { MailTexts } from './texts.ts';

const TEXTS: Readonly<Record<string, MailTexts>> = {
  en: {
    greeting: 'Hello {{name}},',
    footer: 'From {{app}}',
    fallback: 'Or:',
    serverReady: { subject: '{{server}} is ready', body: 'One\n\nTwo {{address}}', button: 'Go' },
    newDevice: {
      subject: 'New',
      body: 'Who?\n\nDevice: {{device}}\nAddress: {{address}}\n\nNote: {{when}}',
      button: 'Go',
    },
  },
  ro: { greeting: 'Salut {{name}},' },
};
const texts = (locale: string): MailTexts => TEXTS[locale] ?? {};
const contentOf = (template: MailTemplate, locale: Locale = 'en') => defaultContent(texts, template, locale);
const mail = (change: Partial<RenderInput>): RenderInput => ({
  content: contentOf('serverReady', change.locale),
  locale: 'en',
  vars: { name: 'M', server: 'S', address: 'a:1', path: '/server/1' },
  app: 'Nether',
  timeZone: 'UTC',
  appUrl: 'https://panel.example',
  ...change,
});
const only = (kind: MailContent['blocks'][number]['kind'], text: string): MailContent => ({
  subject: 'S',
  blocks: [{ kind, text }],
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
    expect(html).toContain('prefers-color-scheme:dark');
    expect(html).not.toMatch(/src=|url\(|<script/);
  });

  test('a mail says where the host gives help, where the host has said so', () => {
    const help = { ...TEXTS, en: { ...TEXTS.en, help: 'Questions? {{support}}' } };
    const { text, html } = renderMail(
      (locale) => help[locale as keyof typeof help] ?? {},
      mail({ support: 'https://lantern.example/help?a=1&b=2 · help@lantern.example' }),
    );
    expect(text).toEndWith(
      '--\nFrom Nether\nQuestions? https://lantern.example/help?a=1&b=2 · help@lantern.example\nhttps://panel.example',
    );
    expect(html).toContain('From Nether<br>Questions? https://lantern.example/help?a=1&amp;b=2 · help@lantern.example');
    expect(renderMail(mailTexts, mail({ support: '' })).text).not.toContain('Questions?');
  });

  test('a mail takes English where its language lacks a text', () => {
    expect(renderMail(texts, mail({ locale: 'ro' })).text).toStartWith('Salut M,\n\nOne');
    expect(renderMail(texts, mail({ locale: 'md' })).html).toContain('lang="ro-MD"');
  });

  test('days and credits are written out in the language, each with its own plural', () => {
    const said = (locale: Locale, days: number) =>
      renderMail(
        mailTexts,
        mail({ locale, content: only('text', '{{days}} {{credits}}'), vars: { days, credits: days } }),
      ).text.split('\n')[0];
    expect([said('ro', 1), said('ro', 3), said('ro', 20)]).toEqual([
      '1 zi 1 credit',
      '3 zile 3 credite',
      '20 de zile 20 de credite',
    ]);
    expect([said('en', 1), said('de', 7)]).toEqual(['1 day 1 credit', '7 Tage 7 Credits']);
  });

  test('lines of label and value become a table, a code stands large, and what is small or a line says so', () => {
    expect(contentOf('newDevice').blocks.map(({ kind }) => kind)).toEqual(['text', 'text', 'facts', 'text', 'button']);
    const facts = renderMail(
      texts,
      mail({ content: only('facts', 'Server: {{server}}\nAlone'), vars: { server: 'a\nb' } }),
    );
    expect(facts.html).toMatch(/>Server<\/td><td[^>]*>a b<\/td>/);
    expect(facts.html).toMatch(/colspan="2"[^>]*>Alone</);
    expect(facts.text).toStartWith('Server: a b\nAlone');
    expect(defaultContent(mailTexts, 'panelAccount', 'de').blocks).toContainEqual({ kind: 'code', text: '{{code}}' });
    expect(renderMail(texts, mail({ content: only('divider', '') })).html).toContain('<hr ');
    expect(renderMail(texts, mail({ content: only('heading', 'Big') })).html).toContain('>Big</h1>');
  });

  test('T47 a mail puts in named variables only, once: what a value holds in braces is text', () => {
    const { subject } = renderMail(
      texts,
      mail({ vars: { name: 'M', server: '{{address}} {{constructor}} ${1+1}', address: 'secret', path: '/' } }),
    );
    expect(subject).toBe('{{address}} {{constructor}} ${1+1} is ready');
    expect(renderMail(texts, mail({ vars: { name: 'M', path: '/' } })).subject).toBe('is ready');
  });

  test.each(['heading', 'text', 'facts', 'code', 'button', 'note'] as const)(
    'T41 T47 markup in a block of kind %s, or in what is filled into it, is text',
    (kind) => {
      const { html } = renderMail(
        texts,
        mail({
          content: only(kind, '<img src=x onerror=alert(1)>: "{{server}}" </td></table>'),
          vars: { server: '"><script>alert(1)</script>', path: '/' },
        }),
      );
      expect(html).not.toMatch(/<img|<script/);
      expect(html.match(/<\/table>/g)?.length).toBe(html.match(/<table /g)?.length);
    },
  );

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
});

describe('the product’s own mails', () => {
  const VARS = {
    ...Object.fromEntries(
      MAIL_TEMPLATES.flatMap((template) => variablesOf(template).map((name) => [name, 'Some thing'])),
    ),
    path: '/p',
    when: { at: 0 },
    until: { at: 0 },
    days: 2,
    credits: 100,
  };
  test.each(LOCALES)('every mail can be written in %s, with nothing left open', (locale) => {
    for (const template of MAIL_TEMPLATES) {
      const content = defaultContent(mailTexts, template, locale);
      const { subject, text } = renderMail(mailTexts, mail({ locale, content, vars: VARS }));
      expect(subject.length).toBeGreaterThan(5);
      expect(text.length).toBeGreaterThan(60);
      expect(subject + text).not.toMatch(/\{\{|undefined|\[object/);
    }
  });

  test.each(LOCALES)('every mail in %s follows the rules for those that hosts write', (locale) => {
    for (const template of MAIL_TEMPLATES) {
      const { subject, blocks } = defaultContent(mailTexts, template, locale);
      const all = [subject, ...blocks.map(({ text }) => text)].join('\n');
      expect([template, unknownVariables(all, variablesOf(template))]).toEqual([template, []]);
      for (const name of requiredVariables(template)) expect(all).toContain(`{{${name}}}`);
      expect([template, !needsButton(template) || blocks.some(({ kind }) => kind === 'button')]).toEqual([
        template,
        true,
      ]);
      expect(blocks.every(({ text }) => text.trim() !== '')).toBe(true);
    }
  });
});

test.each([
  ['{{name}} {{app}}', []],
  ['{{nickname}} {{name}}', ['{{nickname}}']],
  ['{{#each name}}x{{/each}}', ['{{#each name}}', '{{/each}}']],
  ['{{ name }} {{{name}}}', ['{{ name }}', '{{', '}}']],
  ['{{constructor}} {{__proto__}}', ['{{constructor}}', '{{__proto__}}']],
  ['{{name', ['{{name']],
  ['50 % {x} $name', []],
] as const)('T47 in %p what is no variable is found: %p', (text, found) => {
  expect(unknownVariables(text, ['name', 'app'])).toEqual([...found]);
});

test('the pauses between tries grow and end within 24 hours', () => {
  expect(PAUSES_MS).toHaveLength(MAIL_ATTEMPTS - 1);
  expect(PAUSES_MS).toEqual(PAUSES_MS.toSorted((a, b) => a - b));
  expect(PAUSES_MS.reduce((sum, pause) => sum + pause, 0)).toBeLessThanOrEqual(DAY);
});
