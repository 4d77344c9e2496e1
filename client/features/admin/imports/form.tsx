import { useState, type ReactNode } from 'react';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useLocale, useT } from '#client/lib/i18n.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Switch } from '#client/ui/choice.tsx';
import { Field } from '#client/ui/field.tsx';
import { Form } from '#client/ui/form.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { NumberInput } from '#client/ui/number-input.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { PasswordInput } from '#client/ui/password-input.tsx';
import { SegmentedLinks } from '#client/ui/segmented.tsx';
import { Select } from '#client/ui/select.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import type { ImportDetailsView, ImportsPage } from '#shared/contract/imports.ts';
import { LOCALE_INFO, LOCALES } from '#shared/i18n/locales.ts';
import {
  CURRENCY_PRODUCTS,
  EMAIL_RULES,
  IMPORT_FACTORS,
  IMPORT_PRODUCT_NAMES,
  INSTANCE_MAX,
  NAME_RULES,
  RENEW_DAYS_MAX,
  SEALED_PRODUCTS,
  type ImportProduct,
} from '#shared/imports.ts';
import { href } from '#shared/routes/staff-href.ts';
import type { ImportsAnswer } from './action.ts';
import { Messages } from './messages.tsx';
import { DumpField } from './upload.tsx';

interface Props {
  readonly product: ImportProduct;
  /** The dry run whose choices are changed; null: none. */
  readonly before: ImportDetailsView | null;
  readonly byConnection: boolean;
  readonly page: ImportsPage;
}
/** The fields in their order, which the summary of errors follows. */
const ORDER = [
  'upload',
  'host',
  'port',
  'database',
  'username',
  'password',
  'key',
  'currency',
  'renewDays',
  'language',
  'zone',
  'instance',
];

/** Asks how something is brought over from one product, and begins a dry run of it. */
export function CheckForm({ product, before, byConnection, page }: Props): ReactNode {
  const t = useT('imports');
  const answer = useActionAnswer<ImportsAnswer>();
  const form = useFormProps(answer && !answer.ok ? answer : undefined, ORDER);
  const [upload, setUpload] = useState(before?.upload ?? '');
  const connects = byConnection && product !== 'heliactyl';
  const here = `${href('admin.imports')}?source=${product}${before ? `&again=${before.run.id}` : ''}`;
  return (
    <Page narrow>
      <PageHead
        title={IMPORT_PRODUCT_NAMES[product]}
        text={t('newText')}
        crumbs={useCrumbs()}
        actions={<LinkButton to={href('admin.imports')}>{t('choose')}</LinkButton>}
      />
      {page.running && <Messages page={page} />}
      <Form {...form}>
        <input type="hidden" name="product" value={product} />
        <input type="hidden" name="by" value={connects ? 'connection' : 'file'} />
        <input type="hidden" name="upload" value={upload} />
        <div className="sp-stack">
          <Card title={t('by')}>
            {product !== 'heliactyl' && (
              <SegmentedLinks
                label={t('by')}
                items={[
                  { to: here, label: t('byFile'), current: !connects },
                  { to: `${here}&by=connection`, label: t('byConnection'), current: connects },
                ]}
              />
            )}
            {connects ? (
              <Connection />
            ) : (
              <DumpField store={product === 'heliactyl'} kept={before?.upload ?? null} onUpload={setUpload} />
            )}
            {SEALED_PRODUCTS.includes(product) && (
              <Field label={t('key')} name="key" hint={t('keyHint')} optional>
                <PasswordInput autoComplete="off" maxLength={500} />
              </Field>
            )}
          </Card>
          <Choices product={product} before={before} panels={page.panels} />
          <div className="sp-btn-row">
            <Button type="submit" name="_intent" value="check" variant="primary" disabled={page.running !== null}>
              {t('check')}
            </Button>
          </div>
        </div>
      </Form>
    </Page>
  );
}

/** Where the database is. */
function Connection(): ReactNode {
  const t = useT('imports');
  return (
    <>
      <p className="sp-muted">{t('connectionHint', { setting: 'outbound_private_networks' })}</p>
      <div className="sp-imports__pair">
        <Field label={t('host')} name="host" required>
          <TextInput autoComplete="off" spellCheck={false} maxLength={253} />
        </Field>
        <Field label={t('port')} name="port">
          <NumberInput min={1} max={65_535} defaultValue={3306} />
        </Field>
      </div>
      <Field label={t('database')} name="database" required>
        <TextInput autoComplete="off" spellCheck={false} maxLength={100} />
      </Field>
      <div className="sp-imports__pair" data-even="">
        <Field label={t('username')} name="username" required>
          <TextInput autoComplete="off" spellCheck={false} maxLength={100} />
        </Field>
        <Field label={t('password')} name="password">
          <PasswordInput autoComplete="off" maxLength={500} />
        </Field>
      </div>
      <Switch name="encrypted" label={t('encrypted')} hint={t('encryptedHint')} />
    </>
  );
}

/** How duplicates are settled, and what comes along. */
function Choices({ product, before, panels }: Pick<Props, 'product' | 'before'> & Pick<ImportsPage, 'panels'>) {
  const t = useT('imports');
  const asked = before?.choices;
  const locale = useLocale();
  return (
    <Card title={t('options')}>
      <Field label={t('email')} name="email" hint={t('emailHint')}>
        <Select
          defaultValue={asked?.email ?? 'skip'}
          options={EMAIL_RULES.map((value) => ({ value, label: t(`emailRule.${value}`) }))}
        />
      </Field>
      <Field label={t('names')} name="names">
        <Select
          defaultValue={asked?.names ?? 'rename'}
          options={NAME_RULES.map((value) => ({ value, label: t(`nameRule.${value}`) }))}
        />
      </Field>
      <Switch
        name="settings"
        label={t('settings')}
        hint={t('settingsHint')}
        defaultChecked={asked?.settings ?? false}
      />
      <Field label={t('factor')} name="factor">
        <Select
          defaultValue={String(asked?.factor ?? 1)}
          options={IMPORT_FACTORS.map((value) => ({ value: String(value), label: String(value) }))}
        />
      </Field>
      {CURRENCY_PRODUCTS.includes(product) && (
        <Field
          label={t(product === 'paymenter' ? 'currency' : 'paidIn')}
          name="currency"
          hint={t(product === 'paymenter' ? 'currencyHint' : 'paidInHint')}
        >
          <TextInput maxLength={3} defaultValue={asked?.currency ?? 'EUR'} autoComplete="off" />
        </Field>
      )}
      {product === 'heliactyl' && (
        <Field
          label={t('renewDays')}
          name="renewDays"
          hint={t('renewDaysHint', { setting: 'renewals.delay' })}
          optional
        >
          <NumberInput min={1} max={RENEW_DAYS_MAX} defaultValue={asked?.renewDays} />
        </Field>
      )}
      <Field label={t('language')} name="language" hint={t('languageHint')}>
        <Select
          defaultValue={asked?.language ?? locale}
          options={LOCALES.map((value) => ({ value, label: LOCALE_INFO[value].name }))}
        />
      </Field>
      {panels.length > 1 && (
        <Field label={t('panel')} name="panel" required>
          <Select
            defaultValue={asked?.panel ?? panels[0]?.id ?? ''}
            options={panels.map(({ id, name }) => ({ value: id, label: name }))}
          />
        </Field>
      )}
      {product !== 'heliactyl' && (
        <Field label={t('zone')} name="zone" hint={t('zoneHint')}>
          <TextInput maxLength={6} defaultValue={asked?.zone ?? '+00:00'} autoComplete="off" />
        </Field>
      )}
      <Field label={t('instance')} name="instance" hint={t('instanceHint')}>
        <TextInput
          maxLength={INSTANCE_MAX}
          defaultValue={asked?.instance ?? 'main'}
          autoComplete="off"
          spellCheck={false}
        />
      </Field>
    </Card>
  );
}
