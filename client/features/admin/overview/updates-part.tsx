import type { ReactNode } from 'react';
import { useFetcher } from 'react-router';
import { useErrorText } from '#client/lib/error-text.ts';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { LinkButton, TextLink } from '#client/ui/link-button.tsx';
import { Status } from '#client/ui/status.tsx';
import { can } from '#shared/can.ts';
import { href } from '#shared/routes/staff-href.ts';
import { PartBody } from './part-body.tsx';
import type { OverviewData } from './screen.tsx';

type Updates = NonNullable<Awaited<OverviewData['updates']>>;

/** The version that runs, and whether there is a newer one: as far as the operator had somebody asked. */
export function UpdatesPart({ value }: { value: NonNullable<OverviewData['updates']> }): ReactNode {
  const t = useT('admin');
  return (
    <Card id="updates" title={t('part.updates')}>
      <PartBody value={value} rows={2}>
        {(data) => <Release data={data} />}
      </PartBody>
    </Card>
  );
}

function Release({ data }: { data: Updates }): ReactNode {
  const t = useT('overview');
  const { permissions } = useShell().session;
  const { newest, security, outcome, configured } = data;
  return (
    <div className="sp-stack" data-gap="3">
      {newest ? (
        <div>
          <Status shape={security ? 'failed' : 'queued'}>
            {t(security ? 'updates.security' : 'updates.available', { version: newest.version })}
          </Status>
          <p className="sp-small sp-muted">
            {t('updates.behind', { count: data.behind, version: data.version })}{' '}
            <TextLink to={newest.notes} target="_blank" rel="noreferrer">
              {t('updates.notes')}
            </TextLink>
          </p>
        </div>
      ) : (
        <div>
          <Status shape={outcome === 'ok' ? 'active' : 'off'}>{t('updates.version', { version: data.version })}</Status>
          <p className="sp-small sp-muted">
            {outcome === 'ok'
              ? t('updates.current')
              : configured
                ? t('updates.unknown')
                : t(data.enabled ? 'updates.unconfigured' : 'updates.off')}
          </p>
        </div>
      )}
      {outcome !== null && outcome !== 'ok' && (
        <Banner tone={outcome === 'unreachable' ? 'warning' : 'danger'}>{t(`updates.outcome.${outcome}`)}</Banner>
      )}
      {configured ? (
        <Check checkedAt={data.checked_at} />
      ) : (
        can(permissions, 'admin.root') && (
          <LinkButton to={`${href('admin.settings')}?q=update_`} size="sm">
            {t('updates.turnOn')}
          </LinkButton>
        )
      )}
    </div>
  );
}

function Check({ checkedAt }: { checkedAt: string | null }): ReactNode {
  const t = useT('overview');
  const format = useFormat();
  const nowMs = Date.parse(useShell().now);
  const fetcher = useFetcher<FormResult<null>>();
  const errors = useErrorText();
  return (
    <fetcher.Form method="post">
      {fetcher.data?.ok === false && (
        <Banner tone="danger" live>
          {errors.code(fetcher.data.code)}
        </Banner>
      )}
      <div className="sp-row" data-justify="between">
        <span className="sp-small sp-muted">
          {checkedAt === null ? t('updates.never') : t('updates.checked', { time: format.when(checkedAt, nowMs) })}
        </span>
        <Button type="submit" name="_intent" value="updates" size="sm" busy={fetcher.state !== 'idle'}>
          {t('updates.check')}
        </Button>
      </div>
    </fetcher.Form>
  );
}
