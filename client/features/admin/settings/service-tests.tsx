import { useState } from 'react';
import type { ReactNode } from 'react';
import { useErrorText } from '#client/lib/error-text.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { useApi } from '#client/lib/use-api.ts';
import { Button } from '#client/ui/button.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Status, type StatusShape } from '#client/ui/status.tsx';
import { can } from '#shared/can.ts';
import { ApiError } from '#shared/contract/client.ts';
import { href } from '#shared/routes/staff-href.ts';
import type { SettingGroup } from '#shared/setting-rows.ts';
import {
  TESTED_SERVICE_NAMES,
  TESTED_SERVICES,
  type ServiceOutcome,
  type TestedService,
} from '#shared/service-tests.ts';

interface ServiceTestsProps {
  readonly group: SettingGroup;
  /** Something of the form is not saved: a test would go by what is. */
  readonly unsaved: boolean;
}

/** The services of a group of settings, each with a button that tries it by what is stored. It needs scripts. */
export function ServiceTests({ group, unsaved }: ServiceTestsProps): ReactNode {
  const t = useT('staffSettings');
  const { permissions } = useShell().session;
  const services = TESTED_SERVICE_NAMES.filter((name) => TESTED_SERVICES[name] === group);
  const panels = group === 'servers' && can(permissions, 'admin.panels.list');
  if (!can(permissions, 'admin.settings.edit') || (services.length === 0 && !panels)) return null;
  return (
    <section className="sp-set-tests" aria-label={t('tests')}>
      <h3 className="sp-card__h3">{t('tests')}</h3>
      <p className="sp-lead">{t(panels ? 'testsOfPanels' : unsaved ? 'testsUnsaved' : 'testsText')}</p>
      {panels && (
        <div className="sp-btn-row">
          <LinkButton to={href('admin.panels.list')} size="sm">
            {t('toPanels')}
          </LinkButton>
        </div>
      )}
      <ul>
        {services.map((service) => (
          <ServiceTest key={service} service={service} disabled={unsaved} />
        ))}
      </ul>
    </section>
  );
}

const SHAPES: Readonly<Record<ServiceOutcome['outcome'], StatusShape>> = {
  ok: 'active',
  notSet: 'off',
  refused: 'failed',
  silent: 'failed',
  unclear: 'paused',
};

/** Services by the names that they give themselves; the others have a text. */
const NAMES = {
  turnstile: 'Turnstile',
  stripe: 'Stripe',
  paypal: 'PayPal',
  linkvertise: 'Linkvertise',
  shareus: 'ShareUs',
  linkpays: 'LinkPays',
  gyanilinks: 'GyaniLinks',
} as const;
const isNamed = (service: TestedService): service is keyof typeof NAMES => service in NAMES;

function ServiceTest({ service, disabled }: { service: TestedService; disabled: boolean }): ReactNode {
  const t = useT('staffSettings');
  const errors = useErrorText();
  const api = useApi();
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<{ shape: StatusShape; text: string; fact: string | null } | null>(null);
  const name = isNamed(service) ? NAMES[service] : t(`service.${service}`);
  const ask = async (): Promise<void> => {
    if (!api) return;
    setBusy(true);
    try {
      const { outcome, fact } = await api.adminSettings.test({ params: { service } });
      setResult({ shape: SHAPES[outcome], text: t(`outcome.${outcome}`), fact });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setResult({ shape: 'failed', text: errors.code(error.code), fact: null });
    } finally {
      setBusy(false);
    }
  };
  return (
    <li>
      <Button size="sm" busy={busy} disabled={disabled} onClick={() => void ask()} aria-label={t('testWhat', { name })}>
        {t('test')}
      </Button>
      <span className="sp-set-tests__name">{name}</span>
      <output className="sp-set-tests__result">
        {result && <Status shape={result.shape}>{result.text}</Status>}
        {result?.fact && <code className="sp-mono">{result.fact}</code>}
      </output>
    </li>
  );
}
