import { useRef } from 'react';
import type { ReactNode } from 'react';
import type { FormResult } from '#client/lib/form-action.ts';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useI18n, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Disclosure } from '#client/ui/disclosure.tsx';
import { Form } from '#client/ui/form.tsx';
import { SaveBar } from '#client/ui/savebar.tsx';
import { useDirty, useUnsavedWarning } from '#client/ui/unsaved.ts';
import { LOCALE_INFO, LOCALES, type Locale } from '#shared/i18n/locales.ts';
import { Preview } from './preview.tsx';
import { TextFields, type TextValues } from './text-fields.tsx';
import { LooksCard, WhenCard, type Facts, type Targets } from './when-card.tsx';

interface AnnouncementFormProps {
  readonly texts: readonly (TextValues & { readonly locale: Locale })[];
  readonly facts: Facts;
  readonly targets: Targets;
  /** The revision that is changed; absent: a new one. */
  readonly revision?: number;
  readonly answer: FormResult<unknown> | undefined;
  /** Stands under the cards at the side. */
  readonly children?: ReactNode;
}

const EMPTY: TextValues = { title: '', summary: '', body: '' };

/** The form of an announcement: its texts by language, when it is shown to whom, and how it will look. */
export function AnnouncementForm(props: AnnouncementFormProps): ReactNode {
  const t = useT('staffAnnouncements');
  const { texts, facts, targets, revision, answer, children } = props;
  const form = useRef<HTMLFormElement>(null);
  const { dirty } = useDirty(form);
  useUnsavedWarning(dirty);
  const { settings } = useShell();
  const { locale: own } = useI18n();
  const written = texts.map(({ locale }) => locale);
  const main = LOCALES.find((each) => each === settings.app_lang) ?? own;
  // The language that must be written: the installation's, where nothing is written or it is among what is.
  const first = written.length === 0 || written.includes(main) ? main : (written[0] ?? main);
  const shown = useFormProps(answer, [`title.${first}`, `summary.${first}`, `body.${first}`, 'publish_at', 'end_at']);
  const valuesOf = (locale: Locale) => texts.find((each) => each.locale === locale) ?? EMPTY;
  return (
    <Form ref={form} {...shown} labels={useLabels()}>
      <FormKey />
      <input type="hidden" name="_locale" value={first} />
      {revision !== undefined && <input type="hidden" name="_revision" value={revision} />}
      <div className="sp-newsedit">
        <div className="sp-newsedit__column">
          <Card title={LOCALE_INFO[first].name}>
            <TextFields locale={first} values={valuesOf(first)} required />
          </Card>
          <Card title={t('languages')} text={t('languagesText')}>
            {LOCALES.filter((locale) => locale !== first).map((locale) => (
              <Disclosure key={locale} label={LOCALE_INFO[locale].name} open={written.includes(locale)}>
                <TextFields locale={locale} values={valuesOf(locale)} required={false} />
              </Disclosure>
            ))}
          </Card>
        </div>
        <div className="sp-newsedit__column">
          <Preview form={form} first={first} />
          <WhenCard facts={facts} targets={targets} form={form} />
          <LooksCard facts={facts} />
          {children}
        </div>
      </div>
      <SaveBar what={dirty ? t('unsaved') : undefined}>
        <Button type="submit" variant="primary" icon="check">
          {t('save')}
        </Button>
      </SaveBar>
    </Form>
  );
}

/** Labels of the fields, for the summary of errors. */
function useLabels(): Readonly<Record<string, string>> {
  const t = useT('staffAnnouncements');
  return {
    ...Object.fromEntries(
      LOCALES.flatMap((locale) =>
        (['title', 'summary', 'body'] as const).map((field) => [
          `${field}.${locale}`,
          `${t(field)} (${LOCALE_INFO[locale].name})`,
        ]),
      ),
    ),
    publish_at: t('publishAt'),
    end_at: t('endAt'),
    tags: t('tags'),
    targets: t('audience'),
    picture: t('cover'),
  };
}
