import type { ReactNode } from 'react';
import { redirect, useLoaderData, useSearchParams } from 'react-router';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { useActionAnswer } from '#client/lib/action-answer.ts';
import { apiOf } from '#client/lib/api-context.ts';
import { useErrorText } from '#client/lib/error-text.ts';
import { toFormFailure, type FormFailure, type FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useFormat, useT } from '#client/lib/i18n.tsx';
import { useLive } from '#client/lib/live.ts';
import { useShell } from '#client/lib/shell-context.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { Field } from '#client/ui/field.tsx';
import { FileInput } from '#client/ui/file-input.tsx';
import { Form } from '#client/ui/form.tsx';
import { Icon } from '#client/ui/icon.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { Page, PageHead, useCrumbs } from '#client/ui/page.tsx';
import { can } from '#shared/can.ts';
import type { PluginSummary } from '#shared/contract/plugins.ts';
import { href } from '#shared/routes/staff-href.ts';
import { PluginStatus } from './parts.tsx';
import { usePluginWords } from './texts.ts';

type Switched = FormResult<{ readonly identifier: string; readonly on: boolean }>;

/** Every plugin there is. */
export const loader = (args: LoaderFunctionArgs) => apiOf(args).adminPlugins.list({});

/** Turns one on or off, or takes a package to look at. */
export async function action(args: ActionFunctionArgs): Promise<Switched | Response> {
  const form = await args.request.formData();
  const api = apiOf(args).adminPlugins;
  const file = form.get('file');
  try {
    if (file !== null) {
      form.delete('file');
      const body = new Uint8Array(file instanceof File ? await file.arrayBuffer() : []);
      const { id } = await api.upload({ body });
      return redirect(href('admin.plugins.review', { id }));
    }
    const identifier = String(form.get('identifier') ?? '');
    const on = form.get('on') === 'on';
    await api.setOn({ params: { identifier }, body: { on } });
    return { ok: true, result: { identifier, on }, at: `${identifier} ${Date.now()}` };
  } catch (error) {
    const failure = toFormFailure(error, form);
    // Whatever was wrong with a package is said where it was chosen: the top of the page may be out of sight.
    return file === null ? failure : { ...failure, fields: { file: [], ...failure.fields } };
  }
}

/** /mc-admin/plugins (behaviour 8.8) */
export default function PluginsScreen(): ReactNode {
  const t = useT('plugins');
  const { rows } = useLoaderData<typeof loader>();
  const answer = useActionAnswer<Switched>();
  useLive(['plugins']);
  const mayEdit = can(useShell().session.permissions, 'admin.plugins.edit');
  const builtIn = rows.filter(({ installed }) => installed === null);
  const others = rows.filter(({ installed }) => installed !== null);
  return (
    <Page>
      <PageHead title={t('title')} text={t('text')} crumbs={useCrumbs()} />
      <Outcome answer={answer} rows={rows} />
      <Card title={t('builtInTitle')} count={builtIn.length} text={t('trusted')} flush>
        <PluginList rows={builtIn} />
      </Card>
      <Card title={t('others')} count={others.length} text={t('othersText')} flush={others.length > 0}>
        {others.length > 0 ? <PluginList rows={others} /> : <p className="sp-muted">{t('othersNone')}</p>}
      </Card>
      {mayEdit && <UploadCard answer={answer} />}
    </Page>
  );
}

/** Why a package was not taken; null: none was sent, or it was taken. */
const uploadFault = (answer: Switched | undefined): FormFailure | null =>
  answer?.ok === false && 'file' in answer.fields ? answer : null;

/** What the last command did, or why it did not. */
function Outcome({ answer, rows }: { answer: Switched | undefined; rows: readonly PluginSummary[] }): ReactNode {
  const t = useT('plugins');
  const words = usePluginWords();
  const error = useErrorText();
  const removed = useSearchParams()[0].get('done') === 'delete';
  if (answer === undefined)
    return removed ? (
      <Banner tone="positive" live>
        {t('removed')}
      </Banner>
    ) : null;
  // Said at the field.
  if (uploadFault(answer)) return null;
  if (!answer.ok)
    return (
      <Banner tone="danger" live>
        {error.code(answer.code)}
      </Banner>
    );
  const { identifier, on } = answer.result;
  const found = rows.find((each) => each.identifier === identifier);
  return (
    <Banner tone="positive" live>
      {t(on ? 'turnedOn' : 'turnedOff', { name: found?.installed?.name ?? words.name(identifier) })}
    </Banner>
  );
}

function PluginList({ rows }: { rows: readonly PluginSummary[] }): ReactNode {
  return (
    <ul className="sp-plugins">
      {rows.map((plugin) => (
        <PluginRow key={plugin.identifier} plugin={plugin} />
      ))}
    </ul>
  );
}

/** Takes a package, which is looked at on a page of its own. */
function UploadCard({ answer }: { answer: Switched | undefined }): ReactNode {
  const t = useT('plugins');
  const feedback = useFormProps(uploadFault(answer) ?? undefined, ['file']);
  return (
    <Card title={t('uploadTitle')} text={t('uploadText')}>
      <Form {...feedback} labels={{ file: t('file') }} encType="multipart/form-data">
        <Field name="file" label={t('file')} required>
          <FileInput accept=".spawnpoint,.zip,application/zip" />
        </Field>
        <div className="sp-btn-row">
          <Button type="submit" icon="upload">
            {t('uploadDo')}
          </Button>
          {/* A page without scripts of the application. */}
          <a className="sp-link" href="/docs/api/plugins">
            {t('guide')}
          </a>
        </div>
      </Form>
    </Card>
  );
}

/** Whose it is, and why it is off where it was turned off by itself. */
function Origin({ installed }: Pick<PluginSummary, 'installed'>): ReactNode {
  const t = useT('plugins');
  const format = useFormat();
  if (!installed) return <p className="sp-muted">{t('builtInLine')}</p>;
  const { author, signed, stopped } = installed;
  return (
    <>
      <p className="sp-muted">{t(signed ? 'signedLine' : 'unsignedLine', { author: author || t('unknownAuthor') })}</p>
      {stopped && <p>{t(`stoppedBy.${stopped.cause}`, { date: format.dateTime(stopped.at) })}</p>}
    </>
  );
}

function PluginRow({ plugin }: { plugin: PluginSummary }): ReactNode {
  const t = useT('plugins');
  const words = usePluginWords();
  const { identifier, version, on, configurable, page, installed } = plugin;
  const mayEdit = can(useShell().session.permissions, 'admin.plugins.edit');
  const name = installed?.name ?? words.name(identifier);
  return (
    <li className="sp-plugins__row">
      <span className="sp-plugins__icon" data-on={on || undefined}>
        <Icon name="plug" />
      </span>
      <div className="sp-plugins__text">
        <h3>
          {name}
          <span className="sp-muted">{version}</span>
          <PluginStatus plugin={plugin} />
        </h3>
        <p>{installed?.text ?? words.text(identifier)}</p>
        <Origin installed={installed} />
      </div>
      <div className="sp-btn-row sp-plugins__acts">
        {on && page !== null && (
          <LinkButton to={page} variant="ghost" icon="external" aria-label={t('openWhat', { name })}>
            {t('open')}
          </LinkButton>
        )}
        {mayEdit && (configurable || installed !== null) && (
          <LinkButton
            to={href('admin.plugins.config', { identifier })}
            icon="settings"
            aria-label={t(configurable ? 'settingsOf' : 'detailsOf', { name })}
          >
            {t(configurable ? 'settings' : 'details')}
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
