import type { ReactNode } from 'react';
import { FormKey } from '#client/lib/form-key.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { CopyButton } from '#client/ui/copy-button.tsx';
import { Disclosure } from '#client/ui/disclosure.tsx';
import { Form, useFormErrors } from '#client/ui/form.tsx';
import { Status, type StatusShape } from '#client/ui/status.tsx';
import { isSettingKey, type SettingKey } from '#shared/settings.ts';
import { SETUP_SETTINGS, type SetupCheck, type SetupStep } from '#shared/setup-guide.ts';
import { panelFieldErrors } from '../../parts/panel-errors.ts';
import { rowOf } from '../form.ts';
import { Setting } from '../setting.tsx';
import { useSettingTexts, type SettingTexts } from '../texts.ts';
import { CatalogueStep, PanelStep } from './hosting.tsx';
import type { SetupData } from './screen.tsx';
import { SkipButton } from './skip-button.tsx';
import type { SetupAnswer } from './steps.ts';

interface StepProps {
  readonly data: SetupData;
  readonly step: SetupStep;
  readonly answer: SetupAnswer | undefined;
  /** What is known without asking anybody else. */
  readonly checks: readonly SetupCheck[];
}

/** What a step asks for, what its check found, and its buttons. */
export function StepBody({ data, step, answer, checks }: StepProps): ReactNode {
  const t = useT('setup');
  const panels = useT('panels');
  const texts = useSettingTexts(data.currency);
  const failed = answer?.kind === 'failed' ? answer : undefined;
  const { errors, translateError, problem, values } = useFormProps(failed);
  const labels = {
    url: t('panelUrl'),
    key: t('panelKey'),
    client_key: t('panelClientKey'),
    ...Object.fromEntries(SETUP_SETTINGS[step].map((key) => [key, texts.label(key)])),
  };
  const inWords = panelFieldErrors(panels, (code) => translateError(code));
  return (
    <div className="sp-guide__body">
      <Form
        errors={errors}
        translateError={step === 'panel' ? inWords : translateError}
        problem={problem}
        values={values}
        labels={labels}
      >
        <div className="sp-stack">
          <FormKey />
          <input type="hidden" name="_step" value={step} />
          <input type="hidden" name="_currency" value={data.currency} />
          {step === 'panel' && <PanelStep data={data} />}
          {step === 'catalogue' && <CatalogueStep data={data} />}
          {SETUP_SETTINGS[step].length > 0 && (
            <>
              <StepSettings data={data} texts={texts} />
              {step === 'payments' && <Webhooks address={data.address} />}
              <div className="sp-btn-row">
                <Button type="submit" name="_intent" value="check" variant="primary">
                  {t(step === 'mail' ? 'action.test' : step === 'backup' ? 'action.backup' : 'action.check')}
                </Button>
                <SkipButton />
              </div>
            </>
          )}
          <Checks checks={answer?.kind === 'checked' ? answer.checks : checks} live={answer?.kind === 'checked'} />
        </div>
      </Form>
    </div>
  );
}

type Known = SetupData['rows'][number] & { readonly key: SettingKey };
/** Ways to pay, by what the keys of their settings begin with: each stands by itself. */
const WAYS = { stripe: 'Stripe', paypal: 'PayPal', manual: null } as const;

/** The settings of a step; those of a way to pay open by a click, or where it is on or something is wrong. */
function StepSettings({ data, texts }: { data: SetupData; texts: SettingTexts }): ReactNode {
  const { errors } = useFormErrors();
  const known = data.rows.filter((row): row is Known => isSettingKey(row.key));
  const isOf = (way: string) => (row: Known) => row.key.startsWith(`${way}_`);
  const plain = known.filter((row) => !Object.keys(WAYS).some((way) => isOf(way)(row)));
  return (
    <>
      <SettingRows rows={plain} data={data} texts={texts} />
      {Object.entries(WAYS).map(([way, name]) => {
        const rows = known.filter(isOf(way));
        if (rows.length === 0) return null;
        const open = rows.some(({ key, value }) => value === true || errors[key] !== undefined);
        return (
          <Disclosure key={`${way} ${open}`} label={name ?? texts.label('manual_payments_enabled')} open={open}>
            <SettingRows rows={rows} data={data} texts={texts} />
          </Disclosure>
        );
      })}
    </>
  );
}

/** Settings below each other, with what a change of those that ask means. */
function SettingRows({
  rows,
  data,
  texts,
}: {
  rows: readonly Known[];
  data: SetupData;
  texts: SettingTexts;
}): ReactNode {
  return (
    <div className="sp-guide__settings">
      {rows.map((row) => (
        <div key={row.key}>
          <Setting settingKey={row.key} row={row} currency={data.currency} changed={false} texts={texts} />
          {rowOf(row.key).asks && <p className="sp-guide__note">{texts.asks(row.key)}</p>}
        </div>
      ))}
    </div>
  );
}

/** Where gateways send their events. */
function Webhooks({ address }: { address: string }): ReactNode {
  const t = useT('setup');
  return (
    <dl className="sp-guide__hooks">
      {(['Stripe', 'PayPal'] as const).map((provider) => {
        const url = `${address}/api/webhooks/${provider.toLowerCase()}`;
        const label = t('webhook', { provider });
        return (
          <div key={provider}>
            <dt>{label}</dt>
            <dd>
              <CopyButton text={url} what={label} />
            </dd>
            <dd className="sp-muted sp-small">{t('webhookText', { provider })}</dd>
          </div>
        );
      })}
    </dl>
  );
}

const SHAPES: Readonly<Record<SetupCheck['state'], StatusShape>> = {
  ok: 'active',
  warning: 'paused',
  failed: 'failed',
};

/** What a check found, and what to do about what is not right. */
function Checks({ checks, live }: { checks: readonly SetupCheck[]; live: boolean }): ReactNode {
  const t = useT('setup');
  return (
    <section className="sp-guide__checks" aria-label={t('checks')}>
      <h3 className="sp-card__h3">{t('checks')}</h3>
      <ul>
        {checks.map(({ code, state, fact }) => (
          <li key={code}>
            <div className="sp-guide__check">
              <Status shape={SHAPES[state]}>{t(`check.${code}`)}</Status>
              <span className="sp-meta">{fact ?? t(`checkState.${state}`)}</span>
            </div>
            {state !== 'ok' &&
              (live && state === 'failed' ? (
                <Banner tone="warning" live>
                  {t(`help.${code}`)}
                </Banner>
              ) : (
                <p className="sp-muted sp-small">{t(`help.${code}`)}</p>
              ))}
          </li>
        ))}
      </ul>
    </section>
  );
}
