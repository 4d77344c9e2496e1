import type { ReactNode } from 'react';
import { useLoaderData } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { toFormFailure, type FormResult } from '#client/lib/form-action.ts';
import { useT } from '#client/lib/i18n.tsx';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Form } from '#client/ui/form.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { Status } from '#client/ui/status.tsx';
import { can } from '#shared/can.ts';
import type { PluginSummary } from '#shared/contract/plugins.ts';
import { href } from '#shared/routes/staff-href.ts';
import { usePluginWords } from './texts.ts';

type Switched = FormResult<{ readonly identifier: string; readonly on: boolean }>;

/** Every plugin there is. */
export const loader = (args: LoaderFunctionArgs) => apiOf(args).adminPlugins.list({});

/** Turns one on or off. */
export async function action(args: ActionFunctionArgs): Promise<Switched> {
  const form = await args.request.formData();
  const identifier = String(form.get('identifier') ?? '');
  const on = form.get('on') === 'on';
  try {
    await apiOf(args).adminPlugins.setOn({ params: { identifier }, body: { on } });
    return { ok: true, result: { identifier, on }, at: `${identifier} ${Date.now()}` };
  } catch (error) {
    return toFormFailure(error, form);
  }
}

/** /mc-admin/plugins (behaviour 8.8) */
export default function PluginsScreen(): ReactNode {
  const t = useT('plugins');
  const words = usePluginWords();
  const error = useErrorText();
  const { rows } = useLoaderData<typeof loader>();
  const answer = useActionAnswer<Switched>();
  return (
    <Page>
      <PageHead title={t('title')} text={t('text')} crumbs={useCrumbs()} />
      {answer &&
        (answer.ok ? (
          <Banner tone="positive" live>
            {t(answer.result.on ? 'turnedOn' : 'turnedOff', { name: words.name(answer.result.identifier) })}
          </Banner>
        ) : (
          <Banner tone="danger" live>
            {error.code(answer.code)}
          </Banner>
        ))}
      <Card title={t('installed')} count={rows.length} text={t('trusted')} flush>
        <ul className="sp-plugins">
          {rows.map((plugin) => (
            <PluginRow key={plugin.identifier} plugin={plugin} />
          ))}
        </ul>
      </Card>
    </Page>
  );
}

function PluginRow({ plugin }: { plugin: PluginSummary }): ReactNode {
  const t = useT('plugins');
  const words = usePluginWords();
  const { identifier, version, on, configurable, page } = plugin;
  const mayEdit = can(useShell().session.permissions, 'admin.plugins.edit');
  const name = words.name(identifier);
  return (
    <li className="sp-plugins__row">
      <span className="sp-plugins__icon" data-on={on || undefined}>
        <Icon name="plug" />
      </span>
      <div className="sp-plugins__text">
        <h3>
          {name}
          <span className="sp-muted">{version}</span>
          <Status shape={on ? 'active' : 'off'}>{t(on ? 'on' : 'off')}</Status>
        </h3>
        <p>{words.text(identifier)}</p>
        <p className="sp-muted">{t('builtInLine')}</p>
      </div>
      <div className="sp-btn-row sp-plugins__acts">
        {on && page !== null && (
          <LinkButton to={page} variant="ghost" icon="external" aria-label={t('openWhat', { name })}>
            {t('open')}
          </LinkButton>
        )}
        {mayEdit && configurable && (
          <LinkButton
            to={href('admin.plugins.config', { identifier })}
            icon="settings"
            aria-label={t('settingsOf', { name })}
          >
            {t('settings')}
          </LinkButton>
        )}
        {mayEdit && (
          <Form noSummary preventScrollReset>
            <input type="hidden" name="identifier" value={identifier} />
            <Button
              type="submit"
              name="on"
              value={on ? 'off' : 'on'}
              variant={on ? 'ghost' : 'primary'}
              aria-label={t(on ? 'turnOffWhat' : 'turnOnWhat', { name })}
            >
              {t(on ? 'turnOff' : 'turnOn')}
            </Button>
          </Form>
        )}
      </div>
    </li>
  );
}
