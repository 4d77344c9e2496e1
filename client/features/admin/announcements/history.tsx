import type { ReactNode } from 'react';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Disclosure } from '#client/ui/disclosure.tsx';
import { Form } from '#client/ui/form.tsx';
import { LOCALE_INFO, type Locale } from '#shared/i18n/locales.ts';

interface Revision {
  readonly revision: number;
  readonly at: string;
  readonly author: string | null;
  readonly texts: readonly { readonly locale: Locale; readonly title: string; readonly body: string }[];
}

/** What the announcement said before, by whom and when; each can be brought back. */
export function History({ revisions, current }: { revisions: readonly Revision[]; current: number }): ReactNode {
  const t = useT('staffAnnouncements');
  const format = useFormat();
  if (revisions.length < 2) return null;
  return (
    <Card title={t('history')} text={t('historyText')}>
      {revisions.map(({ revision, at, author, texts }) => {
        const line = t('historyLine', { date: format.dateTime(at), name: author ?? t('someone') });
        return (
          <Disclosure key={revision} label={revision === current ? `${line} · ${t('current')}` : line}>
            {texts.map(({ locale, title, body }) => (
              <section key={locale} aria-label={LOCALE_INFO[locale].name}>
                <p>
                  <strong>{title}</strong> <span className="sp-meta">{LOCALE_INFO[locale].name}</span>
                </p>
                <pre className="sp-newsedit__old">{body}</pre>
              </section>
            ))}
            {revision !== current && (
              <Form noSummary>
                <input type="hidden" name="_intent" value="restore" />
                <input type="hidden" name="_restores" value={revision} />
                <input type="hidden" name="_revision" value={current} />
                <Button type="submit" size="sm" icon="refresh">
                  {t('restore')}
                </Button>
              </Form>
            )}
          </Disclosure>
        );
      })}
    </Card>
  );
}
